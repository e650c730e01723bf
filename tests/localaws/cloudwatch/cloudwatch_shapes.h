// The inputs of the CloudWatch calls that localaws answers, after CloudWatch's service model.
#pragma once

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

Shapes cloudwatch_inputs();

}  // namespace trainwarden::localaws
