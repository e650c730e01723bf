// The one CloudWatch Logs call in use: reading what a training job wrote, from its beginning or, by
// startFromHead (since June 2026), from its end.
// Source:
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "awsapi/client.h"

namespace trainwarden::aws {

struct LogQuery {
  std::string group;
  std::string stream_prefix;
  std::optional<sys_millis> begin = {};
  std::optional<sys_millis> end = {};
  int page_size = 1000;  // 1 to 10,000
};

struct LogEvent {
  std::string_view stream;
  std::string_view message;
  sys_millis time;
};

class Logs {
 public:
  explicit Logs(Client& client) : client_(client) {}

  // each(event) gets the events of all matching streams, in order of time; it returns false to
  // stop. Pages may be empty. kNotFound: there is no such group.
  Result<void> filter_log_events(const LogQuery& query,
                                 const std::function<Result<bool>(const LogEvent&)>& each,
                                 const CallContext& context) const;
  // The same, the newest events first. query.begin is needed, and what is before 2024 is left out,
  // since the service refuses it. kRejected where the service does not know that order, and where
  // it ignores that it was asked for it and sends older events first: then no later call asks.
  Result<void> newest_log_events(const LogQuery& query,
                                 const std::function<Result<bool>(const LogEvent&)>& each,
                                 const CallContext& context) const;

 private:
  using Each = std::function<Result<bool>(const LogEvent&)>;
  Result<void> walk(const LogQuery& query, bool newest_first, const Each& each,
                    const CallContext& context) const;

  Client& client_;
  mutable bool only_oldest_first_ = false;
};

}  // namespace trainwarden::aws
