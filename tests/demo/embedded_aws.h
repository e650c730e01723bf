// localaws as a child process with both functions in it, for as long as this object lives.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::demo {

inline constexpr std::string_view kRegion = "eu-central-1";
inline constexpr std::string_view kAccount = "111122223333";
// Where people subscribe: TRAINWARDEN_NOTIFY_TOPIC of the functions.
inline constexpr std::string_view kPeopleTopic = "arn:aws:sns:eu-central-1:111122223333:people";

class EmbeddedAws {
 public:
  // bin: the folder of the built programs. log: where localaws and the functions write.
  static Result<EmbeddedAws> start(const std::string& bin, const std::string& policy,
                                   const std::string& log);
  EmbeddedAws(EmbeddedAws&& other) noexcept;
  EmbeddedAws& operator=(EmbeddedAws&&) = delete;
  ~EmbeddedAws();

  const std::string& url() const { return url_; }
  // A control endpoint's answer; "GET", "calls".
  Result<json::Document> control(std::string_view method, std::string_view path,
                                 std::string body = {}) const;
  // What localaws and the functions wrote so far.
  std::string log() const;

 private:
  EmbeddedAws(pid_t child, std::string url, std::string log)
      : child_(child), url_(std::move(url)), log_(std::move(log)) {}

  pid_t child_;
  std::string url_;
  std::string log_;
};

}  // namespace trainwarden::demo
