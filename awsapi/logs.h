// The one CloudWatch Logs call in use: reading what a training job wrote.
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
  std::optional<sys_millis> begin;
  std::optional<sys_millis> end;
  int page_size = 1000;  // 1 to 10,000
  int most_pages = 0;    // kUnavailable where there are more; 0: any number
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

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
