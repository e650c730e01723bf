// Finds the tuner that launched a job (rules/job/tuner.h) by the ARN in the job's description, and
// reads its current status.
#pragma once

#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/rules/job/tuner.h"
#include "handlers/rules/state/observed_job.h"

namespace trainwarden::actions {

// kUnavailable if no tuner, or more than one, has the ARN, compared without case: an ambiguous
// tuner must not be stopped.
Result<rules::Tuner> find_tuner(const rules::TunerRef& ref, const Apis& apis);

// The tuner of that item, which holds its stop and the notices about that; nullopt if it no longer
// exists. kUnavailable if the id is no tuner's.
Result<std::optional<rules::Tuner>> tuner_of_item(const std::string& id, const Apis& apis);

// The tuner as the steps of its item see it (rules/state). The time of its last change counts as
// the time at which it began to stop, or ended.
rules::ObservedJob observed_tuner(const rules::Tuner& tuner);

}  // namespace trainwarden::actions
