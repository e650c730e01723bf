// Announced stops whose rule no longer holds (policy.md A1).
#pragma once

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/sweep/alarm_census.h"

namespace trainwarden::actions {

// Cancels the announced stops of a due item's job whose rules no longer hold, so that they are
// announced again if the rules hold later. Cancels none that may still hold: the rule cannot be
// decided, or an alarm of the job is in ALARM or was not listed. sweep: the event to decide on.
// Error if the table could not be written.
Result<void> cancel_announced_stops(const aws::JobName& job, const ConsideredDue& due,
                                    const AlarmCensus& alarms, const rules::JobEvent& sweep,
                                    const ActivePolicy& rules, const Apis& apis);

}  // namespace trainwarden::actions
