#include "handlers/rules/alarms/job_past.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "handlers/rules/alarms/metric_query.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

using std::chrono::seconds;

sys_seconds down_to_period(sys_seconds at, seconds period) {
  return at - at.time_since_epoch() % period;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

Reason not_over(const Watch& watch, sys_seconds until) {
  return {.why = Why::kPastNotOver, .name = watch.metric, .at = until};
}

}  // namespace

std::optional<Reason> why_no_past_yet(const Watch& watch, const TrainingJob& job, sys_seconds now) {
  const auto begin = first_training(job);
  if (!begin) return not_over(watch, {});
  const sys_seconds until =
      down_to_period(*begin, seconds(watch.period_seconds)) + kPastSpan + kPastArrival;
  return now < until ? std::optional(not_over(watch, until)) : std::nullopt;
}

std::expected<MetricRequest, Reason> past_request(const Watch& watch, std::string_view name,
                                                  const TrainingJob& job, sys_seconds now) {
  if (auto early = why_no_past_yet(watch, job, now)) return std::unexpected(*std::move(early));
  const seconds period(watch.period_seconds);
  json::Document queries = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    ask_metric(sink, query_id(1), {watch.metric, "TrainingJobName", std::string(name)},
               watch.period_seconds, watch.statistic);
    sink.end_array();
  });
  return MetricRequest{.queries = std::move(queries),
                       .begin = down_to_period(first_training(job).value_or(now), period),
                       .end = down_to_period(now, period),
                       .hosts = {1}};
}

std::expected<JobPast, Reason> past_of(const Watch& watch, std::span<const Datapoint> series,
                                       sys_seconds now) {
  std::optional<sys_seconds> first;
  for (const Datapoint& datapoint : series)
    if (std::isfinite(datapoint.value))
      first = std::min(first.value_or(datapoint.time), datapoint.time);
  if (!first) return std::unexpected(not_over(watch, {}));
  const seconds period(std::max<std::int64_t>(1, watch.period_seconds));
  const std::int64_t periods = kPastSpan / period;
  const sys_seconds end = *first + periods * period;
  JobPast out{.known_from = *first + kPastSpan + kPastArrival};
  if (now < out.known_from) return std::unexpected(not_over(watch, out.known_from));
  std::vector<double> values;
  for (const Datapoint& datapoint : series)
    if (std::isfinite(datapoint.value) && datapoint.time < end) values.push_back(datapoint.value);
  const std::int64_t least = std::max<std::int64_t>(1, (periods + 1) / 2);
  if (std::ssize(values) < least)
    return std::unexpected(Reason{.why = Why::kPastTooThin,
                                  .name = watch.metric,
                                  .number = std::ssize(values),
                                  .limit = least});
  out.median = median_of(std::move(values));
  if (!(out.median > 0))
    return std::unexpected(Reason{.why = Why::kPastIsNothing, .name = watch.metric});
  return out;
}

Watch with_past(const Watch& watch, const JobPast& past) {
  Watch out = watch;
  out.median = past.median;
  out.threshold = watch.drop_to.value_or(0) * past.median;
  return out;
}

}  // namespace trainwarden::rules
