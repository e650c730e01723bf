// Which of several jobs costs most, so that the dearest is seen to first where a limit does not let
// all through (policy.md P7). Never money that anybody is told of: job_cost.h has that.
#pragma once

#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// USD an hour by the policy's prices; without a price for each of its machines, a rough guess by
// their types and sizes, so that every two jobs can be compared. 0 where no machine is told.
double dearness(const TrainingJob& job, const Prices& prices, sys_seconds now);

}  // namespace trainwarden::rules
