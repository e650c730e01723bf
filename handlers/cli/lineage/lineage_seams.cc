#include "handlers/cli/lineage/lineage_seams.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

using std::chrono::days;
using std::chrono::minutes;

constexpr days kSeamWindow{1};
constexpr std::size_t kMostSeams = 50;

// The shortest period that CloudWatch still keeps for data of that age.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html
std::int64_t kept_period(std::chrono::seconds age) {
  constexpr std::int64_t kHour = 3600;
  if (age < days(15)) return 60;
  return age < days(63) ? 300 : kHour;
}

struct SeamWindow {
  sys_seconds begin;
  sys_seconds end;
};

using OwnMetrics = std::vector<std::vector<aws::MetricSeries::Datapoint>>;

// One job's data, in the order of the metrics' names. The period is long enough that the window has
// at most 1,440 periods, the minutes of a day.
Result<OwnMetrics> own_metrics_within(std::string_view job, const std::vector<std::string>& names,
                                      SeamWindow window, const actions::Apis& apis) {
  constexpr std::int64_t kMostPeriods = 1440;
  const std::int64_t kept = kept_period(apis.now() - window.begin);
  const std::int64_t most = kept * kMostPeriods;
  const std::int64_t period =
      kept * std::max<std::int64_t>(1, ((window.end - window.begin).count() + most - 1) / most);
  const auto id = [](std::size_t i) { return fmt::format("m{}", i); };
  const json::Document queries = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      sink.begin_object().member("Id", id(i)).key("MetricStat").begin_object();
      sink.key("Metric").begin_object().member("Namespace", rules::kTrainingMetrics);
      sink.member("MetricName", names[i]).key("Dimensions").begin_array().begin_object();
      sink.member("Name", "TrainingJobName").member("Value", job);
      sink.end_object().end_array().end_object();
      sink.member("Period", period).member("Stat", "Average").end_object().end_object();
    }
    sink.end_array();
  });
  TRY(const auto series,
      apis.cloudwatch.get_metric_data(queries.root(), window.begin, window.end, apis.context));
  OwnMetrics out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(series, id(i), &aws::MetricSeries::id);
    if (found != series.end()) out[i] = found->datapoints;
  }
  return out;
}

// Metrics within a day of the seam. If there are none, as for a job that hung for long, those of
// the job's whole life.
Result<OwnMetrics> own_metrics(std::string_view job, const std::vector<std::string>& names,
                               SeamWindow near, SeamWindow life, const actions::Apis& apis) {
  TRY(OwnMetrics out, own_metrics_within(job, names, near, apis));
  const bool silent = std::ranges::all_of(out, [](const auto& one) { return one.empty(); });
  if (!silent || (life.begin >= near.begin && life.end <= near.end)) return out;
  return own_metrics_within(job, names, life, apis);
}

std::optional<SeamValue> seam_value(const aws::MetricSeries::Datapoint& point) {
  return SeamValue{point.time, point.value};
}

Result<std::vector<SeamMetric>> seam_of(std::string_view parent, const SeamSide& before,
                                        std::string_view copy, const SeamSide& after,
                                        const actions::Apis& apis) {
  const sys_seconds now = apis.now();
  const auto minute = [](sys_seconds at) -> sys_seconds { return std::chrono::floor<minutes>(at); };
  const auto life = [&](const SeamSide& side) {
    const sys_seconds begin = minute(*side.begin);
    return SeamWindow{begin, std::max(minute(side.end.value_or(now)), begin) + minutes(1)};
  };
  const SeamWindow old_life = life(before);
  const SeamWindow new_life = life(after);
  const SeamWindow last{std::max(old_life.begin, old_life.end - kSeamWindow), old_life.end};
  const SeamWindow first{new_life.begin, std::min(new_life.end, new_life.begin + kSeamWindow)};
  TRY(const auto old_values, own_metrics(parent, before.metrics, last, old_life, apis));
  TRY(const auto new_values, own_metrics(copy, before.metrics, first, new_life, apis));
  std::vector<SeamMetric> out;
  for (std::size_t i = 0; i < before.metrics.size(); ++i) {
    SeamMetric metric{before.metrics[i], {}, {}};
    if (!old_values[i].empty()) metric.before = seam_value(old_values[i].back());
    if (!new_values[i].empty()) metric.after = seam_value(new_values[i].front());
    if (metric.before || metric.after) out.push_back(std::move(metric));
  }
  return out;
}

}  // namespace

SeamSide side_of(const rules::TrainingJob& job) {
  SeamSide out;
  for (const rules::MetricDefinition& one : rules::metric_definitions(job))
    if (!one.name.empty()) out.metrics.emplace_back(one.name);
  out.begin = job.training_start ? job.training_start : job.created;
  out.end = job.ended();
  return out;
}

void add_seams(const actions::Apis& apis, const SeamSides& sides, LineageJobs& jobs,
               std::string& unread) {
  std::size_t asked = 0;
  for (auto& [name, job] : jobs) {
    const auto parent = sides.find(job.parent);
    const auto own = sides.find(name);
    if (job.parent == name || parent == sides.end() || own == sides.end()) continue;
    const SeamSide& before = parent->second;
    if (before.metrics.empty() || !before.begin || !own->second.begin) continue;
    // A later job with the parent's name is not the parent.
    if (*own->second.begin < *before.begin || ++asked > kMostSeams) continue;
    auto seam = seam_of(job.parent, before, name, own->second, apis);
    if (!seam) {
      unread = std::move(seam).error().message;
      return;
    }
    job.seam = *std::move(seam);
  }
}

}  // namespace trainwarden::cli
