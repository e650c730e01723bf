// The metrics that a policy's watches looked at while a job trained, as far as CloudWatch still has
// them, so that they can be judged again. If silence counts, its witnesses too (witness.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct HistorySeries {
  std::string metric;
  std::string statistic;
  std::int64_t period_seconds = 60;
  std::string host;       // "algo-1"; "job" for a metric of the algorithm
  std::string dimension;  // Host or TrainingJobName
  std::string value;

  auto operator<=>(const HistorySeries&) const = default;
};

// Each series once. None for a job that never trained, or for watches that do not fit it (F4).
std::vector<HistorySeries> history_series(std::span<const Watch> watches, const TrainingJob& job);

// How long CloudWatch keeps data of periods of that length.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
std::chrono::days kept_for(std::int64_t period_seconds);

// The periods in which a job trained and CloudWatch still has its data, by the epoch's multiples of
// the period; begin is end where there are none.
struct HistorySpan {
  sys_seconds begin;
  sys_seconds end;
  bool cut = false;  // an earlier part is not kept any more
};
HistorySpan history_span(const TrainingJob& job, std::int64_t period_seconds, sys_seconds now);

}  // namespace trainwarden::rules
