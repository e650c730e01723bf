// The Lambda Runtime API as values: each call is a request that can be made and read without a
// socket. Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html; limits and status
// codes were observed on AWS's Runtime Interface Emulator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/strong.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::lambda {

// The largest answer that Lambda takes, in bytes: 6 MiB + 100.
inline constexpr std::size_t kMaxResponseBytes = 6'291'556;

// The most values (names of members included) of a payload that a function reads: at 32 bytes each
// while they are read, they and a payload of 6 MB fit into the least memory that Lambda gives.
// An event of AWS has some dozens.
inline constexpr std::size_t kMaxPayloadValues = 500'000;

struct RequestIdTag {
  static constexpr const char* kName = "request id";
  static std::string check(std::string_view text);
};
using RequestId = Strong<RequestIdTag>;

// Where the Runtime API is: "host:port", from AWS_LAMBDA_RUNTIME_API; a path behind it is kept.
struct Endpoint {
  std::string base;  // "http://host:port/2018-06-01/runtime/"

  // kInvalidConfig where the variable is missing (then this process does not run under Lambda), or
  // could not stand in a URL.
  static Result<Endpoint> from(const Environment& environment);
};

struct Invocation {
  RequestId request_id;
  std::string payload;
  // Each may be missing.
  std::optional<sys_millis> deadline;
  std::string function_arn;
  std::string trace_id;
  std::string client_context;
  std::string cognito_identity;
  std::string tenant_id;
  // One of each delivery: a function that is called again with the same request id has another. It
  // stands on the answer, so that Lambda can refuse that of a delivery that timed out.
  std::string invocation_id = {};
};

// What is reported of a failure. type looks like "Runtime.Xyz" or "Function.Xyz", letters only;
// Lambda turns anything else into Unknown.
struct InvocationError {
  std::string type;
  std::string message;

  static InvocationError from(const Error& error);
};

http::Request next_request(const Endpoint& endpoint);
// kBadResponse where there is no request id: such an invocation cannot be answered.
Result<Invocation> parse_invocation(http::Response response);
http::Request response_request(const Endpoint& endpoint, const Invocation& invocation,
                               std::string body);
http::Request error_request(const Endpoint& endpoint, const Invocation& invocation,
                            const InvocationError& error);
http::Request init_error_request(const Endpoint& endpoint, const InvocationError& error);

}  // namespace trainwarden::lambda
