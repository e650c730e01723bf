#include "handlers/rules/failure/capacity.h"

#include <string_view>

#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {

bool is_capacity_failure(json::Value describe) {
  if (string_of(describe, "TrainingJobStatus") != "Failed") return false;
  const std::string_view reason = string_of(describe, "FailureReason").value_or("");
  return failure_kind(reason) != "AlgorithmError" &&
         diagnose_reason(reason).diagnosis.label == "capacity";
}

}  // namespace trainwarden::rules
