// Announced stops whose rule no longer holds (policy.md A1).
#pragma once

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/sweep/alarm_census.h"

namespace trainwarden::actions {

// Forgets those of a due item's job, so that they are announced again if their rules hold later. A
// rule that cannot be decided, or asks for an alarm that goes off or is not known, may hold. sweep:
// the event as which the job is decided on. An error: the table would not take it.
Result<void> take_back_graces(const aws::JobName& job, const ConsideredDue& due,
                              const AlarmCensus& alarms, const rules::JobEvent& sweep,
                              const ActivePolicy& rules, const Apis& apis);

}  // namespace trainwarden::actions
