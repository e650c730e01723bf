// What a service answers when it refuses: the code, the text, the request's id, and what class of
// Error that is. Source:
// https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html#operation-error-serialization
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/http/transport.h"

namespace trainwarden::aws {

struct ServiceError {
  int status = 0;
  std::string code;     // "ValidationException"; "HTTP 502" where the answer names none
  std::string message;  // cut to a readable length
  std::string request_id;
};

// What may be told of a refusal's text, which may quote the request.
using Scrub = std::function<std::string(std::string text)>;

// Reads an answer whose status is not 2xx. Never fails: an HTML page or an empty body is an answer
// too. scrub: applied to the whole message, since half a secret would not be found; may be empty.
ServiceError parse_service_error(const http::Response& response, const Scrub& scrub = {});

// The class of error. kNotFound and kConflict also where SageMaker says so only in the text of a
// ValidationException.
ErrorCode classify(const ServiceError& error);

// Whether an error with this code asks for fewer calls.
bool is_throttling(std::string_view code);

// Whether an error with this code says that the credentials are not valid, or not any more.
bool are_credentials_over(std::string_view code);

// "<operation>: <code>: <message> (HTTP 400, request id …)"
Error to_error(std::string_view operation, const ServiceError& error);

}  // namespace trainwarden::aws
