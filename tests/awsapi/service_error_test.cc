// Errors of services, by their code and by what a caller can do.
#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "tests/awsapi/client_fixture.h"

namespace trainwarden::aws::service_error_test {
namespace {

TEST(ServiceErrors, TheCodeComesFromWhereverTheServicePutIt) {
  const struct {
    http::Response response;
    const char* code;
    const char* message;
  } cases[] = {
      {{400, {}, R"({"__type":"ValidationException","message":"m"})"}, "ValidationException", "m"},
      {{400, {}, R"({"__type":"com.amazon#Foo:http://x","Message":"m"})"}, "Foo", "m"},
      {{400, {{"X-Amzn-ErrorType", "Bar:http://x"}}, R"({"message":"m"})"}, "Bar", "m"},
      {{502, {}, "<html>bad gateway</html>"}, "HTTP 502", ""},
      {{403, {}, ""}, "HTTP 403", ""},
      {{400, {}, R"({"__type":7,"message":[]})"}, "HTTP 400", ""},
      {{400,
        {{"x-amzn-query-error", "ResourceNotFound;Sender"}},
        R"({"__type":"com.amazonaws#ResourceNotFoundException","message":"m"})"},
       "ResourceNotFound",
       "m"},
      {{403,
        {},
        "<ErrorResponse xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\">\n  <Error>\n    "
        "<Type>Sender</Type>\n"
        "    <Code>AuthorizationError</Code>\n    <Message>User: a &lt;b&gt; is not "
        "authorized</Message>\n  </Error>"
        "<RequestId>r</RequestId></ErrorResponse>"},
       "AuthorizationError",
       "User: a <b> is not authorized"},
      {{500, {}, "<ErrorResponse><Error><Code>Intern"}, "HTTP 500", ""},
  };
  for (const auto& [response, code, message] : cases) {
    const ServiceError error = parse_service_error(response);
    EXPECT_EQ(error.code, code);
    EXPECT_EQ(error.message, message);
  }
}

TEST(ServiceErrors, AreClassedByWhatACallerCanDo) {
  const struct {
    int status;
    const char* code;
    const char* message;
    ErrorCode wanted;
  } cases[] = {
      {400, "ThrottlingException", "Rate exceeded", ErrorCode::kThrottled},
      {429, "HTTP 429", "", ErrorCode::kThrottled},
      {500, "InternalFailure", "", ErrorCode::kServiceFault},
      {400, "RequestTimeoutException", "", ErrorCode::kServiceFault},
      {400, "AccessDeniedException", "", ErrorCode::kAccessDenied},
      {403, "InvalidSignatureException", "", ErrorCode::kUnauthenticated},
      {400, "ExpiredTokenException", "", ErrorCode::kUnauthenticated},
      {400, "RequestExpired", "", ErrorCode::kUnauthenticated},
      {400, "RequestInTheFuture", "", ErrorCode::kUnauthenticated},
      {403, "RequestTimeTooSkewed", "", ErrorCode::kUnauthenticated},
      {403, "HTTP 403", "", ErrorCode::kUnauthenticated},
      {403, "OptInRequired", "", ErrorCode::kAccessDenied},
      {400, "ResourceNotFound", "", ErrorCode::kNotFound},
      {400, "ValidationException", "Requested resource not found.", ErrorCode::kNotFound},
      {400, "ValidationException",
       "The request was rejected because the training job is in status Stopped.",
       ErrorCode::kConflict},
      {400, "ParameterNotFound", "", ErrorCode::kNotFound},
      {404, "NotFound", "", ErrorCode::kNotFound},
      {403, "AuthorizationError", "", ErrorCode::kAccessDenied},
      {429, "Throttled", "", ErrorCode::kThrottled},
      {400, "LimitExceeded", "", ErrorCode::kLimitExceeded},
      {400, "LimitExceededException", "", ErrorCode::kThrottled},
      {400, "ResourceInUse", "", ErrorCode::kConflict},
      {400, "ResourceLimitExceeded", "", ErrorCode::kLimitExceeded},
      {400, "ValidationException", "1 validation error detected", ErrorCode::kRejected},
  };
  for (const auto& [status, code, message, wanted] : cases)
    EXPECT_EQ(classify({status, code, message, ""}), wanted) << code << " " << message;
}

}  // namespace
}  // namespace trainwarden::aws::service_error_test
