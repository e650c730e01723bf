// How long a training job waited, trained and was paid for (F2, F3). A time that is not known is
// absent, never guessed. No time is negative.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// CreateTrainingJob's default MaxRuntimeInSeconds.
inline constexpr std::int64_t kDefaultMaxRuntimeSeconds = 86'400;

// A job that ended longer ago is not restarted automatically, and sweeps do not look for it: its
// owner has moved on by then. A copy that is still pending is given up at that time.
inline constexpr std::chrono::hours kCopiedWithin{26};

struct JobTimes {
  bool ended = false;
  std::optional<double> queued_seconds;     // creation to the start of training
  std::optional<double> training_seconds;   // absent where it never started
  std::optional<double> elapsed_seconds;    // creation to the end, or until now
  std::optional<double> remaining_seconds;  // what MaxRuntime and MaxWaitTime leave; 0 where ended
  // Since its Stopping began; absent where it is not stopping.
  std::optional<double> stopping_seconds = {};
  double max_runtime_seconds = 0;
};

JobTimes job_times(const TrainingJob& job, sys_seconds now);

// Totals over the segments of one job: how often it lost its spot capacity, and how long it
// trained.
struct SegmentTotals {
  double interruptions = 0;
  // The interruptions of the last 6 and 24 hours; absent if one of them has no start time.
  std::optional<double> interruptions_6h;
  std::optional<double> interruptions_24h;
  std::optional<double> window_seconds;  // from the first interruption to the last
  double training_seconds = 0;
  double machine_seconds = 0;  // training, downloading and uploading
};

// nullopt if SecondaryStatusTransitions are missing.
std::optional<SegmentTotals> segment_totals(const TrainingJob& job, sys_seconds now);

// How long an Available warm pool has been idle, and how long it will still be kept.
struct PoolTimes {
  double idle_seconds = 0;
  std::optional<double> remaining_seconds;
};

// nullopt if no pool is Available, or the time since when is not known.
std::optional<PoolTimes> pool_times(const TrainingJob& job, sys_seconds now);

// How long the machines may be kept, and paid for, after the job's end; for a pool that is gone,
// how long they were kept. 0 without a pool.
double pool_seconds(const TrainingJob& job);

// BillableTimeInSeconds, if it is known. For a running job it counts only together with the
// training time that it covers, and never when it is 0. It is time at the full price: the discount
// of managed spot training is already taken off.
std::optional<double> billed_seconds(const TrainingJob& job);

// 1 - billed / trained, within 0 and 1: the share of the full price that managed spot training
// saved. nullopt where it trained for no time, and for a bill below 0.
std::optional<double> saved_fraction(double billed, double trained);

// The same of a managed spot job, as far as SageMaker has told both times; nullopt otherwise, and
// for other jobs. Most running jobs have no bill yet.
std::optional<double> spot_saved_fraction(const TrainingJob& job);

// The paid time that the bill does not cover yet: the time since the training began, less the bill.
// A managed spot job does not pay for the time it waits. AWS does not document how often it updates
// the bill of a running job. 0 for a job that has ended and is billed.
double unbilled_seconds(const TrainingJob& job, sys_seconds now);

// billed_seconds and unbilled_seconds together.
double paid_seconds(const TrainingJob& job, sys_seconds now);

}  // namespace trainwarden::rules
