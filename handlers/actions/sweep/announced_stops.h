// Announced stops of a job that a sweep looks at again (policy.md A1).
#pragma once

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/sweep/alarm_census.h"

namespace trainwarden::actions {

// Confirms the announced stops of a due item's job whose rules hold, and takes back those whose
// rules no longer do, so that they are announced again if the rules hold later. Does neither for a
// rule that cannot be decided, that may hold by an alarm of the job that is in ALARM or was not
// listed, or that is not enforced. sweep: the event to decide on. Error if the table could not be
// written.
Result<void> review_announced_stops(const aws::JobName& job, const ConsideredDue& due,
                                    const AlarmCensus& alarms, const rules::JobEvent& sweep,
                                    const ActivePolicy& rules, const Apis& apis);

}  // namespace trainwarden::actions
