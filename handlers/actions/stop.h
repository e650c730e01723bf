// The action stop (policy.md A1): look, tag, stop, unless the hour's limit is reached (P7). Safe to
// repeat from any point, because every step is: a job that is already stopping or has ended is
// success.
#pragma once

#include "handlers/actions/job.h"
#include "handlers/actions/recheck.h"
#include "handlers/actions/record.h"

namespace trainwarden::actions {

ActionOutcome stop(const RuleAt& rule, const rules::Decision& decision, const JobRef& job,
                   const rules::JobEvent& event, const Apis& apis);

}  // namespace trainwarden::actions
