// What the table's steps need from a job's description: whether it runs, when its Stopping began,
// and when it ended.
#pragma once

#include <cstdint>
#include <optional>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct ObservedJob {
  enum class Status : std::uint8_t {
    kRuns,
    kUnknown,  // a status that we do not know: nothing is done then
    kStopping,
    kCompleted,
    kFailed,
    kStopped,
    kGone,  // deleted, being deleted, or the name belongs to a later job
  };

  Status status = Status::kRuns;
  std::optional<sys_seconds> stopping = {};  // when its Stopping began
  std::optional<sys_seconds> ended = {};     // where it has ended

  PoolStatus pool = PoolStatus::kNone;
  bool pool_ran_out = false;  // it was kept for as long as the job asked for

  bool has_ended() const {
    return status != Status::kRuns && status != Status::kUnknown && status != Status::kStopping;
  }
};

ObservedJob observed_job(const TrainingJob& job);

}  // namespace trainwarden::rules
