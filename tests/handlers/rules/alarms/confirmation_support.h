// Watches and jobs that confirmations are tried on. All times are minutes relative to kMinute, the
// last full minute before now; datapoints are named by the begin of their period.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::confirmation {

inline constexpr sys_seconds kMinute{std::chrono::seconds(1'783'000'560)};
inline constexpr sys_seconds kNow = kMinute + std::chrono::seconds(40);

constexpr sys_seconds at(int minute) { return kMinute + std::chrono::minutes(minute); }
inline long epoch(int minute) { return static_cast<long>(at(minute).time_since_epoch().count()); }

// Three periods of five minutes, on an ml.g5.12xlarge (4 GPUs): at most 4.
inline Watch gpu_idle() {
  Watch watch;
  watch.name = "gpu-idle";
  watch.metric = "GPUUtilization";
  watch.statistic = "Maximum";
  watch.period_seconds = 300;
  watch.periods = 3;
  watch.datapoints = 3;
  watch.comparison = Watch::Comparison::kAtMost;
  watch.threshold = 1;
  watch.per_gpu = true;
  watch.missing = Watch::Missing::kNotBreaching;
  return watch;
}

// Ten minutes without a loss.
inline Watch heartbeat() {
  Watch watch;
  watch.name = "heartbeat";
  watch.metric = "train:loss";
  watch.source = Watch::Source::kAlgorithm;
  watch.statistic = "SampleCount";
  watch.period_seconds = 60;
  watch.periods = 10;
  watch.datapoints = 10;
  watch.comparison = Watch::Comparison::kBelow;
  watch.threshold = 1;
  watch.missing = Watch::Missing::kBreaching;
  return watch;
}

struct Job {
  std::string secondary = "Training";
  std::string status = "InProgress";
  int created = -300;
  // Status and the minute it began; each ends when the next begins.
  std::vector<std::pair<std::string, int>> transitions = {
      {"Starting", -300}, {"Downloading", -290}, {"Training", -280}};
  std::string config = R"({"InstanceType": "ml.g5.12xlarge", "InstanceCount": 2})";
};

inline json::Document describe(const Job& job) {
  std::string transitions;
  for (std::size_t i = 0; i < job.transitions.size(); ++i) {
    if (i > 0) transitions += ",";
    transitions += fmt::format(R"({{"Status": "{}", "StartTime": {})", job.transitions[i].first,
                               epoch(job.transitions[i].second));
    if (i + 1 < job.transitions.size())
      transitions += fmt::format(R"(, "EndTime": {})", epoch(job.transitions[i + 1].second));
    transitions += "}";
  }
  return test::doc(fmt::format(
      R"({{"TrainingJobName": "train-1", "TrainingJobStatus": "{}", "SecondaryStatus": "{}",
          "CreationTime": {}, "ResourceConfig": {}, "SecondaryStatusTransitions": [{}]}})",
      job.status, job.secondary, epoch(job.created), job.config, transitions));
}

inline Confirmation planned(const Watch& watch, const Job& job = {}) {
  auto plan = Confirmation::plan(watch, "train-1", read_training_job(describe(job).root()), kNow);
  if (!plan) throw std::runtime_error(text(plan.error()));
  return *std::move(plan);
}

// What people are told of it; empty where nothing is judged yet.
inline std::string said(const Judgement& judgement) {
  if (judgement.blind) return text(*judgement.blind);
  return judgement.measured ? text(*judgement.measured) : std::string();
}

inline std::string restart_refusal(const Watch& watch, const Job& job) {
  const auto reason = why_not_confirmable(watch, read_training_job(describe(job).root()), kNow);
  return reason ? text(*reason) : std::string();
}

}  // namespace trainwarden::rules::confirmation
