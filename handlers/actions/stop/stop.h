// The action stop (policy.md A1): look, take a slot of the brake (P7), remember, tag, stop,
// remember the answer. Safe to repeat from any point, because every step is: a job that is already
// stopping or has ended is success. With grace_seconds it is announced first (grace.h).
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"

namespace trainwarden::actions {

ActionOutcome stop(const Subject& subject, const rules::Decision& decision);

}  // namespace trainwarden::actions
