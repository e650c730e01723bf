#include "awsapi/cloudwatch.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "awsapi/page_size.h"
#include "awsapi/request_body.h"
#include "runtime/json/utf8.h"

namespace trainwarden::aws {
namespace {

Call cloudwatch_call(std::string_view operation, std::string_view target,
                     const std::function<void(json::Sink&)>& members) {
  return {.service = &kCloudWatch,
          .operation = operation,
          .body = request_body(members),
          .target = std::string(target)};
}

// The first dimension that a query names: the host of a job, or the job.
std::string asked_about(json::Value queries) {
  for (const json::Value query : queries.elements()) {
    const auto stat = query.find_present("MetricStat");
    const auto metric = stat ? stat->find_present("Metric") : std::nullopt;
    const auto dimensions = metric ? metric->find_present("Dimensions") : std::nullopt;
    if (!dimensions || !dimensions->is_array()) continue;
    for (const json::Value dimension : dimensions->elements())
      if (const auto value = dimension.find_present("Value"); value && value->is_string())
        return std::string(value->as_string());
  }
  return {};
}

// "a", or "a and 4 more"
std::string named(std::span<const std::string> names) {
  if (names.size() < 2) return names.empty() ? std::string() : names.front();
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorCode::kBadResponse, fmt::format("GetMetricData: expected {}", what));
}

MetricSeries& series_of(std::vector<MetricSeries>& all, std::string_view id) {
  const auto found = std::ranges::find(all, id, &MetricSeries::id);
  if (found != all.end()) return *found;
  all.push_back({std::string(id), {}});
  return all.back();
}

// Adds one result of one page. PartialData on a page but the last means that more follows.
Result<void> add_result(json::Value result, bool last_page, std::vector<MetricSeries>& all) {
  const auto id = result.find_present("Id");
  const auto times = result.find_present("Timestamps");
  const auto values = result.find_present("Values");
  const auto status = result.find_present("StatusCode");
  if (!id || !id->is_string()) return malformed("`Id` in each result");
  const std::string_view code = status && status->is_string() ? status->as_string() : "Complete";
  if (code != "Complete" && (code != "PartialData" || last_page))
    return malformed(fmt::format("whole data of `{}`, found the status {}", id->as_string(), code));
  MetricSeries& series = series_of(all, id->as_string());
  if (!times && !values) return {};
  if (!times || !values || times->size() != values->size())
    return malformed("as many timestamps as values");
  const json::Elements value_list = values->elements();
  auto value = value_list.begin();
  for (const json::Value time : times->elements()) {
    const json::Value number = *value;
    ++value;
    if (!time.is_number() || !number.is_number())
      return malformed("timestamps and values as numbers");
    series.datapoints.push_back({from_epoch(time.as_number()), number.as_number()});
  }
  return {};
}

}  // namespace

Result<void> CloudWatch::put_metric_alarm(std::string body, const CallContext& context,
                                          std::string_view name) const {
  CHECK_OK(client_.call({.service = &kCloudWatch,
                         .operation = "PutMetricAlarm",
                         .body = std::move(body),
                         .target = std::string(name)},
                        context));
  return {};
}

Result<void> CloudWatch::delete_alarms(std::span<const std::string> names,
                                       const CallContext& context) const {
  constexpr std::size_t kMaxNames = 100;
  for (std::size_t begin = 0; begin < names.size(); begin += kMaxNames) {
    const auto some = names.subspan(begin, std::min(kMaxNames, names.size() - begin));
    const auto deleted = client_.call(cloudwatch_call("DeleteAlarms", named(some),
                                                      [&](json::Sink& sink) {
                                                        sink.key("AlarmNames").begin_array();
                                                        for (const auto& name : some)
                                                          sink.string(name);
                                                        sink.end_array();
                                                      }),
                                      context);
    if (!deleted && deleted.error().code != ErrorCode::kNotFound) return fail(deleted.error());
  }
  return {};
}

// Whoever may put alarms under the prefix makes them as large as they like.
Pages CloudWatch::alarm_pages(AlarmQuery asked,
                              std::function<Result<bool>(json::Value alarm)> each) {
  const auto size = std::make_shared<PageSize>(100);
  auto make = [query = std::move(asked), size](std::string_view token) {
    return cloudwatch_call("DescribeAlarms", query.name_prefix, [&](json::Sink& sink) {
      sink.member("AlarmNamePrefix", query.name_prefix).member("MaxRecords", size->now());
      sink.key("AlarmTypes").begin_array().string("MetricAlarm").end_array();
      if (query.state) sink.member("StateValue", *query.state);
      if (!token.empty()) sink.member("NextToken", token);
    });
  };
  auto each_page = [each = std::move(each), size](json::Value page) -> Result<bool> {
    const auto alarms = page.find_present("MetricAlarms");
    if (!alarms || !alarms->is_array())
      return fail(ErrorCode::kBadResponse, "DescribeAlarms: expected `MetricAlarms` in the answer");
    size->page_was_taken();
    for (const json::Value alarm : alarms->elements()) {
      TRY(const bool go_on, each(alarm));
      if (!go_on) return false;
    }
    return true;
  };
  return {.make = std::move(make),
          .token_member = "NextToken",
          .each = std::move(each_page),
          .mend = [size](const Error& error, const AskPage& /*ask*/) {
            return error.code == ErrorCode::kTooLarge && size->halve();
          }};
}

Result<void> CloudWatch::describe_alarms(const AlarmQuery& query,
                                         const std::function<Result<bool>(json::Value alarm)>& each,
                                         const CallContext& context) const {
  return client_.pages(alarm_pages(query, each), context);
}

Result<void> CloudWatch::set_alarm_state(std::string_view alarm, std::string_view state,
                                         std::string_view reason,
                                         const CallContext& context) const {
  constexpr std::size_t kMaxReason = 1023;
  CHECK_OK(client_.call(
      cloudwatch_call("SetAlarmState", alarm,
                      [&](json::Sink& sink) {
                        sink.member("AlarmName", alarm)
                            .member("StateValue", state)
                            .member("StateReason",
                                    reason.substr(0, json::utf8_boundary(reason, kMaxReason)));
                      }),
      context));
  return {};
}

Result<std::vector<MetricSeries>> CloudWatch::get_metric_data(json::Value queries,
                                                              sys_seconds begin, sys_seconds end,
                                                              const CallContext& context) const {
  std::vector<MetricSeries> all;
  const std::string about = asked_about(queries);
  const auto make = [&](std::string_view token) {
    return cloudwatch_call("GetMetricData", about, [&](json::Sink& sink) {
      sink.member("MetricDataQueries", queries)
          .member("StartTime", begin.time_since_epoch().count())
          .member("EndTime", end.time_since_epoch().count())
          .member("ScanBy", "TimestampAscending");
      if (!token.empty()) sink.member("NextToken", token);
    });
  };
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto results = page.find_present("MetricDataResults");
    if (!results) return malformed("`MetricDataResults`");
    const bool last = !page.find_present("NextToken");
    for (const json::Value result : results->elements()) CHECK_OK(add_result(result, last, all));
    return true;
  };
  CHECK_OK(client_.pages(make, "NextToken", each_page, context));
  for (MetricSeries& series : all)
    std::ranges::sort(series.datapoints, {}, &MetricSeries::Datapoint::time);
  return all;
}

}  // namespace trainwarden::aws
