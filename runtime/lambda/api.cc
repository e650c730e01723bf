#include "runtime/lambda/api.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"
#include "runtime/http/url.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"

namespace trainwarden::lambda {
namespace {

std::string text_of(const http::Response& response, std::string_view name) {
  return std::string(response.header(name).value_or(""));
}

std::optional<sys_millis> deadline_of(const http::Response& response) {
  const auto text = response.header("Lambda-Runtime-Deadline-Ms");
  if (!text) return std::nullopt;
  const auto millis = whole_number(*text);
  if (!millis) return std::nullopt;
  return sys_millis(std::chrono::milliseconds(*millis));
}

std::string error_body(const InvocationError& error) {
  json::Writer writer;
  writer.begin_object()
      .member("errorMessage", error.message)
      .member("errorType", error.type)
      .key("stackTrace")
      .begin_array()
      .end_array()
      .end_object();
  return json::one_line(writer.take());
}

// What X-Ray shows as the cause of a fault:
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html#runtimes-api-invokeerror
std::string xray_cause(const InvocationError& error) {
  // Beyond 64 KiB X-Ray drops the cause; no message of ours needs that much.
  constexpr std::size_t kMaxMessage = 4096;
  json::Writer writer;
  writer.begin_object().member("working_directory", "/var/task").key("exceptions").begin_array();
  writer.begin_object()
      .member("message", std::string_view(error.message).substr(0, kMaxMessage))
      .member("type", error.type)
      .key("stack")
      .begin_array()
      .end_array()
      .end_object();
  writer.end_array().key("paths").begin_array().end_array().end_object();
  return json::one_line(writer.take());
}

constexpr const char* kInvocationId = "Lambda-Runtime-Invocation-Id";

http::Request with_invocation_id(http::Request answer, const Invocation& invocation) {
  if (!invocation.invocation_id.empty())
    answer.headers.push_back({kInvocationId, invocation.invocation_id});
  return answer;
}

http::Request failure(std::string url, const InvocationError& error) {
  return {"POST",
          std::move(url),
          {{"Content-Type", "application/json"},
           {"Lambda-Runtime-Function-Error-Type", error.type},
           {"Lambda-Runtime-Function-XRay-Error-Cause", xray_cause(error)}},
          error_body(error)};
}

}  // namespace

std::string RequestIdTag::check(std::string_view text) {
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == ':';
  };
  constexpr std::size_t kMax = 256;
  const bool valid = !text.empty() && text.size() <= kMax && std::ranges::all_of(text, allowed);
  return valid ? "" : "1 to 256 letters, digits, `-`, `_`, `.` or `:`";
}

Result<Endpoint> Endpoint::from(const Environment& environment) {
  TRY(const std::string_view address,
      environment.require(
          "AWS_LAMBDA_RUNTIME_API",
          "host:port of the Lambda Runtime API, which Lambda sets. This program is a "
          "Lambda custom runtime: deploy it, or let localaws start it"));
  // Two slashes: a scheme was put before the host.
  if (!http::valid_authority_and_path(address) || address.find("//") != std::string_view::npos)
    return malformed_variable("AWS_LAMBDA_RUNTIME_API",
                              "host:port of the Lambda Runtime API, without a scheme",
                              http::without_secrets(address));
  return Endpoint{fmt::format("http://{}/2018-06-01/runtime/", address)};
}

InvocationError InvocationError::from(const Error& error) {
  return {fmt::format("Function.{}", name(error.code)), error.message};
}

http::Request next_request(const Endpoint& endpoint) {
  return {"GET", endpoint.base + "invocation/next", {}, {}};
}

Result<Invocation> parse_invocation(http::Response response) {
  const auto id = response.header("Lambda-Runtime-Aws-Request-Id");
  if (!id)
    return fail(ErrorCode::kBadResponse,
                "next invocation: expected the header Lambda-Runtime-Aws-Request-Id, found none");
  auto request_id = RequestId::parse(*id);
  if (!request_id) return fail(ErrorCode::kBadResponse, std::move(request_id).error().message);
  return Invocation{
      .request_id = *std::move(request_id),
      .payload = std::move(response.body),
      .deadline = deadline_of(response),
      .function_arn = text_of(response, "Lambda-Runtime-Invoked-Function-Arn"),
      .trace_id = text_of(response, "Lambda-Runtime-Trace-Id"),
      .client_context = text_of(response, "Lambda-Runtime-Client-Context"),
      .cognito_identity = text_of(response, "Lambda-Runtime-Cognito-Identity"),
      .tenant_id = text_of(response, "Lambda-Runtime-Aws-Tenant-Id"),
      .invocation_id = text_of(response, kInvocationId),
  };
}

http::Request response_request(const Endpoint& endpoint, const Invocation& invocation,
                               std::string body) {
  return with_invocation_id(
      {"POST",
       fmt::format("{}invocation/{}/response", endpoint.base, invocation.request_id.view()),
       {{"Content-Type", "application/json"}},
       std::move(body)},
      invocation);
}

http::Request error_request(const Endpoint& endpoint, const Invocation& invocation,
                            const InvocationError& error) {
  return with_invocation_id(
      failure(fmt::format("{}invocation/{}/error", endpoint.base, invocation.request_id.view()),
              error),
      invocation);
}

http::Request init_error_request(const Endpoint& endpoint, const InvocationError& error) {
  return failure(endpoint.base + "init/error", error);
}

}  // namespace trainwarden::lambda
