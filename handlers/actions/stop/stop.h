// The action stop (policy.md A1): look at the job again, take a slot of the brake (P7), record the
// stop, tag the job, stop it, record the answer. Every step is idempotent, so the action can be
// repeated from any point: a job that is already stopping or has ended is success. With
// grace_seconds the stop is announced first (grace.h).
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"

namespace trainwarden::actions {

ActionOutcome stop(const Subject& subject, const rules::Decision& decision);

}  // namespace trainwarden::actions
