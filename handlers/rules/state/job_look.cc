#include "handlers/rules/state/job_look.h"

namespace trainwarden::rules {
namespace {

JobLook::Status status_of(JobStatus status) {
  switch (status) {
    case JobStatus::kStopping:
      return JobLook::Status::kStopping;
    case JobStatus::kCompleted:
      return JobLook::Status::kCompleted;
    case JobStatus::kFailed:
      return JobLook::Status::kFailed;
    case JobStatus::kStopped:
      return JobLook::Status::kStopped;
    case JobStatus::kDeleting:
      return JobLook::Status::kGone;
    case JobStatus::kInProgress:
    case JobStatus::kUnknown:
      break;
  }
  return JobLook::Status::kRuns;
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

JobLook job_look(const TrainingJob& job) {
  JobLook out{.status = status_of(job.status), .stopping = stopping_since(job)};
  out.ended = job.ended();
  out.pool = job.warm_pool.status;
  out.pool_ran_out = ran_out(job);
  return out;
}

}  // namespace trainwarden::rules
