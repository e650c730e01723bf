// A rough cost by which jobs are ordered, so that the most expensive comes first when a limit does
// not let all through (policy.md P7). Never shown as an amount: job_cost.h has that.
#pragma once

#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// USD an hour by the policy's prices; without a price for each of its machines, a rough estimate by
// their types and sizes, so that any two jobs can be compared. 0 if the job's machines are not
// known.
double hourly_cost(const TrainingJob& job, const Prices& prices, sys_seconds now);

}  // namespace trainwarden::rules
