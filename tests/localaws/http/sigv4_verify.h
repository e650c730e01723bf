// Judges the signature of a request as AWS's front end does, with AWS's own codes and texts. A
// token, a secret key or the canonical request is never part of an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/secret.h"
#include "runtime/base/time.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct Credentials {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  // empty: requests must not carry one
};

// What a request must be signed for.
struct Expected {
  std::string_view region;
  std::string_view service;
  sys_seconds now;
};

// nullopt: the request is well signed.
std::optional<AwsError> verify_signature(const HttpRequest& request, const Credentials& credentials,
                                         const Expected& expected);

}  // namespace trainwarden::localaws
