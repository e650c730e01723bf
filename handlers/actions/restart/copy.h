// Makes the copy of a job that has ended (policy.md A3). Safe to repeat from any point, by any
// number of functions at once: the copy's name follows from the job, so that whoever comes second
// meets the first one's copy and is done. Only the state function and people's commands include
// this: the alarm function creates no jobs.
#pragma once

#include "handlers/actions/fetch/job_snapshot.h"

namespace trainwarden::actions {

// Only for an original that has Failed or is Stopped, as it was read just before. Asks the guards
// that hold for every copy; those of a restart are the caller's. by_hand: a person asked for it.
Result<Copied> copy(const JobSnapshot& original, const rules::CopyChanges& changes,
                    const Apis& apis, bool by_hand);

}  // namespace trainwarden::actions
