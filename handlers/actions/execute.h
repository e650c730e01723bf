// Carries decisions out. Each mode has its own executor: observing is not acting with the last step
// left out, it is another executor (policy.md P3, P4).
#pragma once

#include <vector>

#include "handlers/actions/job.h"
#include "handlers/actions/recheck.h"
#include "handlers/actions/record.h"
#include "handlers/rules/decide.h"

namespace trainwarden::actions {

// Every action of every decision gets an outcome; one that fails does not keep the others from
// being carried out.
std::vector<DecisionOutcome> execute(const RuleAt& rules, std::vector<rules::Decision> decisions,
                                     const JobRef& job, const rules::JobEvent& event,
                                     const Apis& apis);

}  // namespace trainwarden::actions
