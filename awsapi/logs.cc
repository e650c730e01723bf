#include "awsapi/logs.h"

#include <fmt/core.h>

#include <algorithm>

#include "awsapi/request_body.h"

namespace trainwarden::aws {
namespace {

// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
constexpr sys_millis kNewestFirstSince =
    std::chrono::sys_days(std::chrono::year(2024) / std::chrono::January / 1);

std::string_view event_text(json::Value event, std::string_view name) {
  const auto value = event.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

}  // namespace

Result<void> Logs::walk(const LogQuery& query, bool newest_first, const Each& each,
                        const CallContext& context) const {
  const auto make = [&](std::string_view token) {
    return Call{.service = &kLogs,
                .operation = "FilterLogEvents",
                .body = request_body([&](json::Sink& sink) {
                  sink.member("logGroupName", query.group).member("limit", query.page_size);
                  if (newest_first) sink.member("startFromHead", false);
                  if (!query.stream_prefix.empty())
                    sink.member("logStreamNamePrefix", query.stream_prefix);
                  if (query.begin)
                    sink.member("startTime", query.begin->time_since_epoch().count());
                  if (query.end) sink.member("endTime", query.end->time_since_epoch().count());
                  if (!token.empty()) sink.member("nextToken", token);
                }),
                .target = fmt::format("{}:{}", query.group, query.stream_prefix)};
  };
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto events = page.find_present("events");
    if (!events) return true;
    for (const json::Value event : events->elements()) {
      const auto stamp = event.find_present("timestamp");
      const auto millis = stamp ? stamp->as_integer().value_or(0) : 0;
      TRY(const bool go_on, each({event_text(event, "logStreamName"), event_text(event, "message"),
                                  sys_millis(std::chrono::milliseconds(millis))}));
      if (!go_on) return false;
    }
    return true;
  };
  return client_.pages(make, "nextToken", each_page, context);
}

Result<void> Logs::filter_log_events(const LogQuery& query, const Each& each,
                                     const CallContext& context) const {
  return walk(query, false, each, context);
}

Result<void> Logs::newest_log_events(const LogQuery& query, const Each& each,
                                     const CallContext& context) const {
  const auto refused = [] {
    return fail(ErrorCode::kRejected, "FilterLogEvents: expected the newest events first");
  };
  if (only_oldest_first_) return refused();
  LogQuery since_2024 = query;
  since_2024.begin = std::max(query.begin.value_or(kNewestFirstSince), kNewestFirstSince);
  std::optional<sys_millis> last;
  const auto each_in_order = [&](const LogEvent& event) -> Result<bool> {
    if (last && event.time > *last) return refused();
    last = event.time;
    return each(event);
  };
  auto walked = walk(since_2024, true, each_in_order, context);
  if (!walked && walked.error().code == ErrorCode::kRejected) only_oldest_first_ = true;
  return walked;
}

}  // namespace trainwarden::aws
