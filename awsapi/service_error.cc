#include "awsapi/service_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "awsapi/xml.h"
#include "runtime/json/json.h"
#include "runtime/json/utf8.h"

namespace trainwarden::aws {
namespace {

constexpr std::size_t kMaxErrorMessage = 600;

// "aws.protocoltests#FooError:http://…" → "FooError"
std::string bare_code(std::string_view code) {
  if (const std::size_t hash = code.find('#'); hash != std::string_view::npos)
    code.remove_prefix(hash + 1);
  return std::string(code.substr(0, code.find(':')));
}

std::string member_text(json::Value object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto value = object.find(name); value && value->is_string())
      return std::string(value->as_string());
  return {};
}

std::string readable(std::string_view text) {
  std::string out(text.substr(0, json::utf8_boundary(text, kMaxErrorMessage)));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return out;
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The lists of the AWS SDKs' standard retry mode.
constexpr std::array<std::string_view, 14> kThrottling{"Throttling",
                                                       "Throttled",
                                                       "ThrottlingException",
                                                       "ThrottledException",
                                                       "RequestThrottled",
                                                       "RequestThrottledException",
                                                       "TooManyRequestsException",
                                                       "ProvisionedThroughputExceededException",
                                                       "TransactionInProgressException",
                                                       "RequestLimitExceeded",
                                                       "BandwidthLimitExceeded",
                                                       "LimitExceededException",
                                                       "SlowDown",
                                                       "EC2ThrottledException"};
constexpr std::array<std::string_view, 3> kTransient{"RequestTimeout", "RequestTimeoutException",
                                                     "PriorRequestNotComplete"};
constexpr std::array<std::string_view, 9> kDenied{
    "AuthorizationError",   "AllAccessDisabled",     "KMSAccessDenied", "KMSAccessDeniedException",
    "AccessDenied",         "AccessDeniedException", "NotAuthorized",   "OptInRequired",
    "UnauthorizedOperation"};
// Of the credentials, the signature or the time at which it was made. The last two are an answer
// that names no code, as of a proxy.
// https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
constexpr std::array<std::string_view, 22> kUnauthenticated{"AuthFailure",
                                                            "ExpiredToken",
                                                            "ExpiredTokenException",
                                                            "IncompleteSignature",
                                                            "IncompleteSignatureException",
                                                            "InvalidAccessKeyId",
                                                            "InvalidClientTokenId",
                                                            "InvalidSecurity",
                                                            "InvalidSignature",
                                                            "InvalidSignatureException",
                                                            "InvalidToken",
                                                            "MissingAuthenticationToken",
                                                            "MissingAuthenticationTokenException",
                                                            "RequestExpired",
                                                            "RequestInTheFuture",
                                                            "RequestTimeTooSkewed",
                                                            "SignatureDoesNotMatch",
                                                            "TokenRefreshRequired",
                                                            "UnrecognizedClient",
                                                            "UnrecognizedClientException",
                                                            "HTTP 401",
                                                            "HTTP 403"};

}  // namespace

namespace {

std::string told(std::string text, const Scrub& scrub) {
  return readable(scrub ? scrub(std::move(text)) : text);
}

// <ErrorResponse><Error><Type/><Code/><Message/></Error><RequestId/></ErrorResponse>, and S3's
// <Error><Code/><Message/>…<RequestId/></Error>
void read_xml(std::string_view body, const Scrub& scrub, ServiceError& error) {
  if (auto code = element_text(body, "Code"); code && error.code.empty())
    error.code = *std::move(code);
  error.message = told(element_text(body, "Message").value_or(""), scrub);
  if (error.request_id.empty()) error.request_id = element_text(body, "RequestId").value_or("");
}

// S3 answers 301 or 400 where a bucket is in another region, and says in which one:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/Redirects.html
void tell_region(const http::Response& response, ServiceError& error) {
  const bool elsewhere = error.code == "PermanentRedirect" || error.code == "TemporaryRedirect" ||
                         error.code == "AuthorizationHeaderMalformed" ||
                         error.code == "IllegalLocationConstraintException";
  const std::string_view region = response.header("x-amz-bucket-region").value_or("");
  if (elsewhere && !region.empty())
    error.message += fmt::format(" (the bucket is in the region {})", readable(region));
}

// "Code;Sender": the code that the service's older Query protocol has for the error.
std::string query_error(const http::Response& response) {
  const std::string_view text = response.header("x-amzn-query-error").value_or("");
  return std::string(text.substr(0, text.find(';')));
}

}  // namespace

ServiceError parse_service_error(const http::Response& response, const Scrub& scrub) {
  ServiceError error{
      .status = response.status,
      .code = query_error(response),
      .message = {},
      .request_id = std::string(response.header("x-amzn-requestid")
                                    .value_or(response.header("x-amz-request-id").value_or("")))};
  if (error.code.empty()) error.code = bare_code(response.header("x-amzn-errortype").value_or(""));
  if (response.body.find("<Error") != std::string::npos) {
    read_xml(response.body, scrub, error);
  } else if (const auto body = json::Document::parse(response.body)) {
    if (error.code.empty()) error.code = bare_code(member_text(body->root(), {"__type", "code"}));
    error.message = told(member_text(body->root(), {"message", "Message"}), scrub);
  }
  if (error.code.empty()) error.code = fmt::format("HTTP {}", response.status);
  tell_region(response, error);
  return error;
}

bool is_throttling(std::string_view code) {
  return contains(kThrottling, code) || code == "HTTP 429";
}

bool are_credentials_over(std::string_view code) {
  constexpr std::array<std::string_view, 4> kCodes{"ExpiredToken", "ExpiredTokenException",
                                                   "InvalidClientTokenId",
                                                   "UnrecognizedClientException"};
  return contains(kCodes, code);
}

ErrorCode classify(const ServiceError& error) {
  constexpr int kTooManyRequests = 429;
  if (is_throttling(error.code) || error.status == kTooManyRequests) return ErrorCode::kThrottled;
  if (error.status >= 500 || contains(kTransient, error.code)) return ErrorCode::kServiceFault;
  if (contains(kDenied, error.code)) return ErrorCode::kAccessDenied;
  if (contains(kUnauthenticated, error.code)) return ErrorCode::kUnauthenticated;
  if (error.code.starts_with("ResourceNotFound") || error.code.starts_with("ParameterNotFound") ||
      error.code.starts_with("ParameterVersionNotFound") || error.code == "NotFound" ||
      error.code == "NoSuchBucket")
    return ErrorCode::kNotFound;
  if (error.code.starts_with("ResourceInUse")) return ErrorCode::kConflict;
  if (error.code == "ResourceLimitExceeded" || error.code == "LimitExceeded")
    return ErrorCode::kLimitExceeded;
  if (error.code == "ValidationException") {
    // SageMaker's Describe of an unknown job, and its Stop of one that has ended, are known by text
    // only: https://github.com/awslabs/benchmark-ai/issues/928
    if (error.message.starts_with("Requested resource not found")) return ErrorCode::kNotFound;
    if (error.message.starts_with("The request was rejected because the ") &&
        error.message.find(" job is in status ") != std::string::npos)
      return ErrorCode::kConflict;
  }
  return ErrorCode::kRejected;
}

Error to_error(std::string_view operation, const ServiceError& error) {
  return {classify(error),
          fmt::format("{}: {}: {} (HTTP {}, request id {})", operation, error.code,
                      error.message.empty() ? "no message" : error.message, error.status,
                      error.request_id.empty() ? "unknown" : error.request_id)};
}

}  // namespace trainwarden::aws
