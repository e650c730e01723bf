#include "handlers/rules/failure/capacity.h"

#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/failure_reason.h"

namespace trainwarden::rules {

bool is_capacity_failure(const TrainingJob& job) {
  return job.status == JobStatus::kFailed && failure_kind(job.failure_reason) != "AlgorithmError" &&
         diagnose_reason(job.failure_reason).diagnosis.label == FailureLabel::kCapacity;
}

}  // namespace trainwarden::rules
