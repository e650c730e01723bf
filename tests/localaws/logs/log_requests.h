// What the operations of Logs share about their requests and refusals.
#pragma once

#include <string>

#include "runtime/json/json.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

std::unexpected<AwsError> bad_parameter(std::string message);
std::unexpected<AwsError> no_group();
// The group's name out of "logGroupName" or "logGroupIdentifier", a name or an ARN.
Answer<std::string> group_name(json::Value given);

}  // namespace trainwarden::localaws
