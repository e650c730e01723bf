// When a training job was created, started and ended, and how long it trained, from
// DescribeTrainingJob's answer (F2, F3). Whether it has ended is read from TrainingJobStatus alone.
// What cannot be told is absent, never guessed; nothing is negative.
#pragma once

#include <optional>

#include "handlers/rules/job/members.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Of DescribeTrainingJob's answer, or a record of Search.
bool has_ended(json::Value describe);

// When a job that has ended did so, by what Describe tells.
std::optional<sys_seconds> ended_at(json::Value describe);

struct JobTimes {
  bool ended = false;
  std::optional<double> queued_seconds;     // creation to the start of training
  std::optional<double> training_seconds;   // absent where it never started
  std::optional<double> elapsed_seconds;    // creation to the end, or until now
  std::optional<double> remaining_seconds;  // what MaxRuntime and MaxWaitTime leave; 0 where ended
  double max_runtime_seconds = 0;
};

JobTimes job_times(json::Value describe, sys_seconds now);

// The segment_totals of one job: how often spot capacity was taken from it, and how much it
// trained.
struct SegmentTotals {
  double interruptions = 0;
  std::optional<double> window_seconds;  // from the first interruption to the last
  double training_seconds = 0;
  double machine_seconds = 0;  // training, downloading and uploading
};

// nullopt where SecondaryStatusTransitions are missing.
std::optional<SegmentTotals> segment_totals(json::Value describe, sys_seconds now);

// For how long the machines were paid, as far as Describe tells: BillableTimeInSeconds; before that
// the time since training began, of which a managed spot job does not pay what it waits.
double paid_seconds(json::Value describe, sys_seconds now);

}  // namespace trainwarden::rules
