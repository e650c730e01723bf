// Whether a job failed because its machines were not to be had. The fleet counts such failures, and
// a restart waits after them or takes other machines (policy.md A4), so both ask here.
#pragma once

#include "handlers/rules/job/training_job.h"

namespace trainwarden::rules {

// The job failed, and FailureReason says in SageMaker's own words that there was no capacity. What
// the program itself says of machines, which is an AlgorithmError, does not count.
bool is_capacity_failure(const TrainingJob& job);

}  // namespace trainwarden::rules
