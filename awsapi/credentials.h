// The credentials that Lambda hands to a function, read once from the environment.
// Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
#pragma once

#include <string>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/secret.h"

namespace trainwarden::aws {

struct Credentials {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  // empty: none

  // kInvalidConfig, naming the variable, where one is missing or could not stand in a header.
  static Result<Credentials> from(const Environment& environment);
};

// AWS_REGION, else AWS_DEFAULT_REGION. kInvalidConfig where neither is set or it is no region name.
Result<std::string> region_from(const Environment& environment);

}  // namespace trainwarden::aws
