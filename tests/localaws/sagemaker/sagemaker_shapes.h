// The inputs of the SageMaker calls that localaws answers, after SageMaker's service model.
#pragma once

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

// By operation, e.g. "CreateTrainingJob"; an operation that is not in it is not known.
Shapes sagemaker_inputs();

}  // namespace trainwarden::localaws
