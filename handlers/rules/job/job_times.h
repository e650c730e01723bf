// How long a training job waited, trained and was paid for (F2, F3). What cannot be told is absent,
// never guessed; nothing is negative.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// What CreateTrainingJob gives a job that names no limit.
inline constexpr std::int64_t kDefaultMaxRuntimeSeconds = 86'400;

// A job that ended longer ago is not run again of our own accord, and no sweep looks for it:
// whoever missed it has gone on. What is owed for it ends then.
inline constexpr std::chrono::hours kCopiedWithin{26};

// When a job that has ended did so, by what Describe tells.
std::optional<sys_seconds> ended_at(const TrainingJob& job);

struct JobTimes {
  bool ended = false;
  std::optional<double> queued_seconds;     // creation to the start of training
  std::optional<double> training_seconds;   // absent where it never started
  std::optional<double> elapsed_seconds;    // creation to the end, or until now
  std::optional<double> remaining_seconds;  // what MaxRuntime and MaxWaitTime leave; 0 where ended
  double max_runtime_seconds = 0;
};

JobTimes job_times(const TrainingJob& job, sys_seconds now);

// What the segments of one job come to: how often spot capacity was taken from it, and how much it
// trained.
struct SegmentTotals {
  double interruptions = 0;
  // Those that began within the last six and 24 hours; absent where one does not tell when it
  // began.
  std::optional<double> interruptions_6h;
  std::optional<double> interruptions_24h;
  std::optional<double> window_seconds;  // from the first interruption to the last
  double training_seconds = 0;
  double machine_seconds = 0;  // training, downloading and uploading
};

// nullopt where SecondaryStatusTransitions are missing.
std::optional<SegmentTotals> segment_totals(const TrainingJob& job, sys_seconds now);

// How long a warm pool that is Available has been kept for nobody, and how long it will be.
struct PoolTimes {
  double idle_seconds = 0;
  std::optional<double> remaining_seconds;
};

// nullopt where no pool is Available, or nobody tells since when.
std::optional<PoolTimes> pool_times(const TrainingJob& job, sys_seconds now);

// For how long the machines may be kept, and paid for, after the job's end; of a pool that is gone,
// for how long they were. 0 without a pool.
double pool_seconds(const TrainingJob& job);

// BillableTimeInSeconds, once it is told: of a job that runs only beside the training time that it
// covers, and never 0. It is time at the full price, of which managed spot training's discount is
// taken off.
std::optional<double> billed_seconds(const TrainingJob& job);

// For how long the machines were paid beside that: since the training began, of which a managed
// spot job does not pay what it waits, less what the bill covers. AWS does not say how often it
// writes the bill of a job that runs. 0 of a job that has ended and is billed.
double unbilled_seconds(const TrainingJob& job, sys_seconds now);

// Both together.
double paid_seconds(const TrainingJob& job, sys_seconds now);

}  // namespace trainwarden::rules
