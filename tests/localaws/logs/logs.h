// Amazon CloudWatch Logs: groups, streams and events that tests and the functions' own logs put in;
// FilterLogEvents with the unstructured part of the filter pattern language, and what people look
// at logs with (log_browsing.cc).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

struct LogEvent {
  sys_millis time;
  sys_millis ingested;
  std::string message;
  std::string id;
};

class Logs final : public Service {
 public:
  Logs(std::string region, std::string account);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;
  void clear() { groups_.clear(); }
  // Of startFromHead: false, which services know since June 2026.
  enum class NewestFirst { kKnown, kRefused, kIgnored };
  void set_newest_first(NewestFirst known) { newest_first_ = known; }
  // Appends a line to a stream, which is made if it is not there. Of each stream the newest
  // kMostLines are kept.
  static constexpr std::size_t kMostLines = 10'000;
  void append(std::string_view group, std::string_view stream, std::string line, sys_millis at);

 private:
  using Streams = std::map<std::string, std::vector<LogEvent>, std::less<>>;

  Answer<std::string> create_group(json::Value input);
  Answer<std::string> create_stream(json::Value input);
  Answer<std::string> put(json::Value input, sys_millis now);
  Answer<std::string> filter(json::Value input) const;
  Answer<std::string> describe_groups(json::Value input) const;
  Answer<std::string> describe_streams(json::Value input) const;
  Answer<std::string> get_events(json::Value input) const;
  std::string group_arn(std::string_view group) const;

  std::string region_;
  std::string account_;
  std::map<std::string, Streams, std::less<>> groups_;
  std::uint64_t events_ = 0;
  NewestFirst newest_first_ = NewestFirst::kKnown;
};

// Whether a message matches an unstructured filter pattern: words and "phrases" that must all
// occur, ?words of which one must, -words that must not. Empty matches all. kInvalidInput for
// patterns in braces or brackets (structured ones), which are not understood here.
Result<bool> log_matches(std::string_view pattern, std::string_view message);

}  // namespace trainwarden::localaws
