#include "handlers/rules/alarms/history_series.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/witness.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

using std::chrono::days;
using std::chrono::seconds;

HistorySeries of_host(std::string_view metric, std::string_view statistic, const Watch& watch,
                      const TrainingJob& job, std::int64_t host) {
  return {std::string(metric),
          std::string(statistic),
          watch.period_seconds,
          fmt::format("algo-{}", host),
          "Host",
          host_name(job.name, host)};
}

HistorySeries of_algorithm(std::string_view metric, std::string_view statistic, const Watch& watch,
                           const TrainingJob& job) {
  return {std::string(metric), std::string(statistic), watch.period_seconds, "job",
          "TrainingJobName",   std::string(job.name)};
}

// Their number; 0 where it is not known.
std::int64_t machines_in_all(const TrainingJob& job) {
  double count = 0;
  if (!job.one_of)
    for (const Instances& some : job.instances) count += some.count;
  constexpr double kMost = 10'000;
  return count >= 1 && count <= kMost ? static_cast<std::int64_t>(count) : 0;
}

void add_witnesses(const Watch& watch, const TrainingJob& job, std::vector<HistorySeries>& out) {
  for (std::int64_t host = 1; host <= machines_in_all(job); ++host)
    for (const std::string_view metric : kHostWitnesses)
      out.push_back(of_host(metric, "SampleCount", watch, job, host));
  if (watch.source != Watch::Source::kAlgorithm) return;
  for (const MetricDefinition& own : metric_definitions(job))
    if (own.name != watch.metric) out.push_back(of_algorithm(own.name, "SampleCount", watch, job));
}

void add_series(const Watch& watch, const TrainingJob& job, std::vector<HistorySeries>& out) {
  if (watch.source == Watch::Source::kAlgorithm) {
    if (!defines_metric(job, watch.metric)) return;
    out.push_back(of_algorithm(watch.metric, watch.statistic, watch, job));
  } else {
    const auto hosts = alarm_hosts(watch, job);
    if (!hosts) return;
    for (std::int64_t host = 1; host <= hosts->count; ++host)
      out.push_back(of_host(watch.metric, watch.statistic, watch, job, host));
  }
  if (watch.missing == Watch::Missing::kBreaching) add_witnesses(watch, job, out);
}

}  // namespace

std::vector<HistorySeries> history_series(std::span<const Watch> watches, const TrainingJob& job) {
  std::vector<HistorySeries> out;
  if (!first_training(job)) return out;
  for (const Watch& watch : watches) add_series(watch, job, out);
  std::ranges::sort(out);
  const auto again = std::ranges::unique(out);
  out.erase(again.begin(), again.end());
  return out;
}

days kept_for(std::int64_t period_seconds) {
  constexpr std::int64_t kFiveMinutes = 300;
  constexpr std::int64_t kHour = 3600;
  if (period_seconds % kHour == 0) return days(455);
  return period_seconds % kFiveMinutes == 0 ? days(63) : days(15);
}

HistorySpan history_span(const TrainingJob& job, std::int64_t period_seconds, sys_seconds now) {
  const auto down = [&](sys_seconds at) {
    return at - at.time_since_epoch() % seconds(period_seconds);
  };
  const auto up = [&](sys_seconds at) { return down(at + seconds(period_seconds - 1)); };
  const auto begin = first_training(job);
  if (!begin) return {now, now};
  const sys_seconds end = up(std::min(job.ended().value_or(now), now));
  // A period that is just about to go may be gone when it is asked for.
  constexpr std::chrono::hours kMargin{1};
  const sys_seconds kept = up(now - kept_for(period_seconds) + kMargin);
  const bool cut = *begin < kept;
  const sys_seconds from = cut ? kept : down(*begin);
  return {std::min(from, end), end, cut};
}

}  // namespace trainwarden::rules
