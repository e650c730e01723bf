// The inputs of the SageMaker calls that localaws answers, after SageMaker's service model.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/localaws/shape.h"

namespace trainwarden::localaws {

// By operation, e.g. "CreateTrainingJob"; an operation that is not in it is not known.
std::map<std::string, Shape, std::less<>> sagemaker_inputs();

}  // namespace trainwarden::localaws
