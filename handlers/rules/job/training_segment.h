// The Training segment that a job is in. A job trains in segments: a spot interruption, a retry or
// an update ends one, and Training begins anew. What was measured in an earlier segment says
// nothing about the current one (policy.md W4).
#pragma once

#include <expected>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// Since when the job trains. The Reason says why that cannot be
// told: the job is not InProgress and Training, or the last of its SecondaryStatusTransitions is
// not a Training that goes on, begun last of all. Transitions that are missing, unreadable or out
// of order are never put right by a guess.
std::expected<sys_seconds, Reason> current_training(const TrainingJob& job);

}  // namespace trainwarden::rules
