// The Training segment that a job is in. A job trains in segments: a spot interruption, a retry or
// an update ends one, and Training begins anew. What was measured in an earlier segment says
// nothing about the current one (policy.md W4).
#pragma once

#include <expected>
#include <optional>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// The start of the current segment. The Reason says why there is none, or why it is unknown: the
// job is not InProgress and Training, or the last of its SecondaryStatusTransitions is not an open
// Training that began after all others. Transitions that are missing, unreadable or out of order
// are never repaired by a guess.
std::expected<sys_seconds, Reason> current_training(const TrainingJob& job);

// The begin of the first segment, and a time before it where that is not told; nullopt of a job
// that never trained.
std::optional<sys_seconds> first_training(const TrainingJob& job);

}  // namespace trainwarden::rules
