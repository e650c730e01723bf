// One job's way through the code: decide, gather what the decision says it needs, decide again,
// execute; one record comes out.
#pragma once

#include <optional>

#include "handlers/actions/job.h"
#include "handlers/actions/record.h"

namespace trainwarden::actions {

// A job that was decided on and not acted upon yet.
struct Considered {
  JobRef job;
  rules::Sources sources;
  rules::Evaluation evaluation;  // nothing where the record concludes otherwise than "decided"
  Record record;
};

// Fetches and decides. Changes nothing in the world.
Considered consider(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis);

// Acts. Total: what fails is in the record, and Record::failure() tells whether the event must come
// again.
Record carry_out(const RuleAt& rules, Considered considered, const Apis& apis);

// Both in one.
Record handle_job(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis);

}  // namespace trainwarden::actions
