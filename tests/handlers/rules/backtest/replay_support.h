// Jobs of an export, made up for tests of the replay.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/backtest/kept_job.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::replay_test_support {

inline constexpr sys_seconds kMonday{std::chrono::seconds(1'782'691'200)};  // 2026-06-29 00:00 UTC
inline constexpr int kHour = 3600;

inline long epoch(int seconds) {
  return static_cast<long>(kMonday.time_since_epoch().count()) + seconds;
}

// One that trains from ten minutes after its creation on. Times are seconds after kMonday.
struct MadeUp {
  std::string name = "run";
  int created = 0;
  int ends = 4 * kHour;
  std::string status = "Completed";
  std::string secondary = "Completed";
  std::string reason = {};
  std::string tags = R"({"team": "vision"})";
  int machines = 1;
  std::string type = "ml.g5.12xlarge";
  int max_runtime = 10 * 24 * kHour;
  // {begin, end} of Training; empty: one segment until the job's end.
  std::vector<std::pair<int, int>> segments = {};
  std::string more = {};  // further members of the description, each with a comma before it
};

inline std::string described(const MadeUp& job) {
  auto segments = job.segments;
  if (segments.empty()) segments.emplace_back(job.created + 600, job.ends);
  std::string transitions =
      fmt::format(R"({{"Status": "Starting", "StartTime": {}, "EndTime": {}}})", epoch(job.created),
                  epoch(segments.front().first));
  int last = 0;
  for (const auto& [begin, end] : segments) {
    if (last != 0)
      transitions += fmt::format(R"(, {{"Status": "Interrupted", "StartTime": {}, "EndTime": {}}})",
                                 epoch(last), epoch(begin));
    transitions += fmt::format(R"(, {{"Status": "Training", "StartTime": {}, "EndTime": {}}})",
                               epoch(begin), epoch(end));
    last = end;
  }
  transitions += fmt::format(R"(, {{"Status": "{}", "StartTime": {}, "EndTime": {}}})",
                             job.secondary, epoch(job.ends), epoch(job.ends));
  const bool ended = job.status != "InProgress";
  return fmt::format(
      R"({{"TrainingJobName": "{}",
           "TrainingJobArn": "arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}",
           "TrainingJobStatus": "{}", "SecondaryStatus": "{}", "CreationTime": {},
           "TrainingStartTime": {}, {} "LastModifiedTime": {}, "FailureReason": "{}",
           "ResourceConfig": {{"InstanceType": "{}", "InstanceCount": {}, "VolumeSizeInGB": 10}},
           "StoppingCondition": {{"MaxRuntimeInSeconds": {}}},
           "SecondaryStatusTransitions": [{}]{}}})",
      job.name, job.name, job.status, job.secondary, epoch(job.created),
      epoch(segments.front().first),
      ended
          ? fmt::format(
                R"("TrainingEndTime": {0}, "TrainingTimeInSeconds": {1}, "BillableTimeInSeconds": {1},)",
                epoch(job.ends), job.ends - segments.front().first)
          : std::string(),
      epoch(job.ends), job.reason, job.type, job.machines, job.max_runtime, transitions, job.more);
}

inline KeptJob kept(const MadeUp& job) {
  JobEvent event;
  event.job_name = job.name;
  event.creation_time = kMonday + std::chrono::seconds(job.created);
  event.account = "111122223333";
  event.region = "eu-central-1";
  KeptJob out{.sources = Sources(std::move(event))};
  out.sources.set(Source::kDescribe, test::doc(described(job)));
  out.sources.set(Source::kTags, test::doc(job.tags));
  out.described = true;
  return out;
}

// A metric of each machine, minute 0 is the job's first of training; periods of 60 seconds.
// value(host, minute): nullopt for no datapoint.
template <class Value>
void add_metric(KeptJob& to, const MadeUp& job, const std::string& metric,
                const std::string& statistic, Value value) {
  const int begin = job.segments.empty() ? job.created + 600 : job.segments.front().first;
  for (int host = 1; host <= job.machines; ++host) {
    KeptSeries series;
    series.what = {
        metric, statistic, 60, "algo-" + std::to_string(host), "Host", host_name(job.name, host)};
    series.span.begin = kMonday + std::chrono::seconds(begin);
    series.span.end = kMonday + std::chrono::seconds(job.ends);
    for (int minute = 0; minute < (job.ends - begin) / 60; ++minute)
      series.values.push_back(value(host, minute));
    to.series.push_back(std::move(series));
  }
  std::ranges::sort(to.series, {}, &KeptSeries::what);
}

}  // namespace trainwarden::rules::replay_test_support
