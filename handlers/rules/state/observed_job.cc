#include "handlers/rules/state/observed_job.h"

namespace trainwarden::rules {
namespace {

ObservedJob::Status status_of(JobStatus status) {
  switch (status) {
    case JobStatus::kStopping:
      return ObservedJob::Status::kStopping;
    case JobStatus::kCompleted:
      return ObservedJob::Status::kCompleted;
    case JobStatus::kFailed:
      return ObservedJob::Status::kFailed;
    case JobStatus::kStopped:
      return ObservedJob::Status::kStopped;
    case JobStatus::kDeleting:
      return ObservedJob::Status::kGone;
    case JobStatus::kInProgress:
      return ObservedJob::Status::kRuns;
    case JobStatus::kUnknown:
      break;
  }
  return ObservedJob::Status::kUnknown;
}

std::optional<sys_seconds> stopping_since(const TrainingJob& job) {
  if (!job.transitions) return std::nullopt;
  for (const Transition& transition : *job.transitions)
    if (transition.status == SecondaryStatus::kStopping) return transition.start;
  return std::nullopt;
}

// A pool that is let go earlier was kept for less, and is asked for no longer (its period is 0).
bool ran_out(const TrainingJob& job) {
  constexpr double kNearly = 60;  // seconds
  const double asked = job.keep_alive_seconds.value_or(0);
  return job.warm_pool.status == PoolStatus::kTerminated && asked > 0 &&
         job.warm_pool.retained_seconds.value_or(0) >= asked - kNearly;
}

}  // namespace

ObservedJob observed_job(const TrainingJob& job) {
  ObservedJob out{.status = status_of(job.status), .stopping = stopping_since(job)};
  out.ended = job.ended();
  out.pool = job.warm_pool.status;
  out.pool_ran_out = ran_out(job);
  return out;
}

}  // namespace trainwarden::rules
