// What the inputs of DynamoDB's calls may be, by botocore's service model.
#pragma once

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

Shapes dynamodb_inputs();

}  // namespace trainwarden::localaws
