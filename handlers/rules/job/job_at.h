// A finished job as DescribeTrainingJob would have described it at an earlier moment, for a replay
// to decide on.
#pragma once

#include <optional>
#include <string_view>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Whether a description has that top-level member only later than at the job's creation, or with
// another value.
bool changes_later(std::string_view member);

// Whether it is one of the two statuses, TrainingJobStatus and SecondaryStatus.
bool is_status(std::string_view member);

// A job's statuses at one moment.
struct JobState {
  JobStatus status = JobStatus::kInProgress;
  std::string_view secondary = "Starting";  // SecondaryStatus
  std::optional<sys_seconds> since = {};
};
// Before the job's end, by the last transition that had begun.
JobState job_state_at(const TrainingJob& whole, sys_seconds at);

// The description reduced to what was known at that moment. Before the job's end, its status is
// InProgress (or Stopping) and its SecondaryStatus that of the last transition that had begun;
// later transitions are removed, and so is everything that Describe has only of jobs that have
// ended: FailureReason, the end time, the bill, the model. The warm pool's status is always
// removed, since the description shows it as of another time.
json::Document job_at(const TrainingJob& whole, sys_seconds at);

}  // namespace trainwarden::rules
