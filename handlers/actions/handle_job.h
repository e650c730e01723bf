// One event's way through the code: decide, gather what the decision says it needs, decide again,
// execute; one record comes out.
#pragma once

#include "handlers/actions/job.h"
#include "handlers/actions/recheck.h"
#include "handlers/actions/record.h"

namespace trainwarden::actions {

// Total: what fails is in the record, and Record::failure() tells whether the event must come
// again.
Record handle_job(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis);

}  // namespace trainwarden::actions
