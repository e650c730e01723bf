#include "awsapi/logs.h"

#include <fmt/core.h>

#include "awsapi/request_body.h"

namespace trainwarden::aws {
namespace {

std::string_view event_text(json::Value event, std::string_view name) {
  const auto value = event.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

}  // namespace

Result<void> Logs::filter_log_events(const LogQuery& query,
                                     const std::function<Result<bool>(const LogEvent&)>& each,
                                     const CallContext& context) const {
  const auto make = [&](std::string_view token) {
    return Call{.service = &kLogs,
                .operation = "FilterLogEvents",
                .body = request_body([&](json::Sink& sink) {
                  sink.member("logGroupName", query.group).member("limit", query.page_size);
                  if (!query.stream_prefix.empty())
                    sink.member("logStreamNamePrefix", query.stream_prefix);
                  if (query.begin)
                    sink.member("startTime", query.begin->time_since_epoch().count());
                  if (query.end) sink.member("endTime", query.end->time_since_epoch().count());
                  if (!token.empty()) sink.member("nextToken", token);
                }),
                .target = fmt::format("{}:{}", query.group, query.stream_prefix)};
  };
  int pages = 0;
  const auto each_page = [&](json::Value page) -> Result<bool> {
    if (++pages > query.most_pages && query.most_pages > 0)
      return fail(ErrorCode::kUnavailable,
                  fmt::format("FilterLogEvents: nothing on {} pages, and there are more",
                              query.most_pages));
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

}  // namespace trainwarden::aws
