// A job that is over, as DescribeTrainingJob would have described it at an earlier moment: what a
// replay decides on.
#pragma once

#include <optional>
#include <string_view>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// When the job had ended; nullopt where it has not, as far as its description tells.
std::optional<sys_seconds> end_of_job(const TrainingJob& whole);

// What a job was at a moment.
struct JobState {
  JobStatus status = JobStatus::kInProgress;
  std::string_view secondary = "Starting";  // as AWS names it
  std::optional<sys_seconds> since = {};
};
// Before its end, by the last transition that had begun.
JobState job_state_at(const TrainingJob& whole, sys_seconds at);

// The description cut back to that moment. Before the job's end, its status is InProgress (or
// Stopping) and its SecondaryStatus that of the last transition that had begun; later transitions
// are gone, and so is what is only told of a job that has ended: the reason of its failure, its
// end, its bill, its model. What became of its warm pool is not told at all: the description was
// made at another time, and the pool's state is that of then.
json::Document job_at(const TrainingJob& whole, sys_seconds at);

}  // namespace trainwarden::rules
