// A job under consideration, and what reaches the world on its behalf.
#pragma once

#include <string>

#include "awsapi/sagemaker.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

struct JobRef {
  aws::JobName name;
  std::string arn;  // before Describe; empty: not known. Describe's counts more
};

// Everything that acts or asks goes through here; one per invocation.
struct Apis {
  aws::SageMaker& sagemaker;
  Clock& clock;
  const aws::CallContext& context;

  sys_seconds now() const { return std::chrono::floor<std::chrono::seconds>(clock.now()); }
};

}  // namespace trainwarden::actions
