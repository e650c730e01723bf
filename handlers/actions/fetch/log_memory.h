// Fetches what a decision needs, and remembers in the job's item what the log of a failed job says,
// so that no later look reads that log again. In observe and notify nothing is remembered (P3).
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/fetch/gather.h"

namespace trainwarden::actions {

// As gather(), with the silences of the policy. What the end of a log says is remembered once the
// log is complete, and also that it is too large to be read. The item is only a memory: where it
// cannot be read or written, the log is read.
Gathered gather_for(const ActivePolicy& rules, rules::Sources& sources, rules::SourceSet needs,
                    const JobRef& job, const Apis& apis);

}  // namespace trainwarden::actions
