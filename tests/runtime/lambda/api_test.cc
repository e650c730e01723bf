#include "runtime/lambda/api.h"

#include <gtest/gtest.h>

#include "runtime/json/json.h"
#include "tests/support/env.h"

namespace trainwarden::lambda::api_test {
namespace {

const Endpoint kEndpoint{"http://127.0.0.1:9001/2018-06-01/runtime/"};

Invocation delivery(std::string_view id, std::string invocation_id = {}) {
  return {*RequestId::parse(id), {}, {}, {}, {}, {}, {}, {}, std::move(invocation_id)};
}

std::string header(const http::Request& request, std::string_view name) {
  for (const http::Header& one : request.headers)
    if (one.name == name) return one.value;
  return "(none)";
}

TEST(Endpoint, KeepsAPathBehindHostAndPort) {
  const testing::Env env{"AWS_LAMBDA_RUNTIME_API=127.0.0.1:4566/_localaws/runtime/state"};
  EXPECT_EQ(Endpoint::from(env())->base,
            "http://127.0.0.1:4566/_localaws/runtime/state/2018-06-01/runtime/");
}

TEST(Endpoint, MissingSaysWhatThisProgramIs) {
  const testing::Env env{};
  const auto endpoint = Endpoint::from(env());
  ASSERT_FALSE(endpoint);
  EXPECT_NE(endpoint.error().message.find("AWS_LAMBDA_RUNTIME_API"), std::string::npos);
  EXPECT_NE(endpoint.error().message.find("custom runtime"), std::string::npos);
}

TEST(Endpoint, WhatCannotStandInAUrlIsRefused) {
  for (const std::string address :
       {"http://127.0.0.1:9001", "127.0.0.1:9001/a b", "127.0.0.1:9001/größe", "127.0.0.1:9001\r\n",
        "127.0.0.1:9001/\x7f", "127.0.0.1:9001/%zz", "me@127.0.0.1:9001", "127.0.0.1:9001?x",
        "127.0.0.1:9001#x", ":9001", "/path"}) {
    const std::string entry = "AWS_LAMBDA_RUNTIME_API=" + address;
    const testing::Env env{entry};
    const auto endpoint = Endpoint::from(env());
    ASSERT_FALSE(endpoint) << address;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidConfig);
    const std::string& message = endpoint.error().message;
    EXPECT_NE(message.find("AWS_LAMBDA_RUNTIME_API: expected host:port"), std::string::npos);
    const bool secret = address.find_first_of("@?#") != std::string::npos;
    EXPECT_EQ(message.find("found `" + address + "`") == std::string::npos, secret) << message;
    EXPECT_EQ(message.find("***") != std::string::npos, secret) << message;
  }
}

TEST(ParseInvocation, TakesEveryHeader) {
  const auto invocation = parse_invocation({200,
                                            {{"Lambda-Runtime-Aws-Request-Id", "r-1"},
                                             {"lambda-runtime-deadline-ms", "1783000213750"},
                                             {"Lambda-Runtime-Invoked-Function-Arn", "arn:f"},
                                             {"Lambda-Runtime-Trace-Id", "Root=1-2"},
                                             {"Lambda-Runtime-Client-Context", "{}"},
                                             {"Lambda-Runtime-Cognito-Identity", "who"},
                                             {"Lambda-Runtime-Aws-Tenant-Id", "t"},
                                             {"lambda-runtime-invocation-id", "i-1"}},
                                            "payload"});
  ASSERT_TRUE(invocation);
  EXPECT_EQ(invocation->request_id.str(), "r-1");
  EXPECT_EQ(invocation->payload, "payload");
  EXPECT_EQ(rfc3339(*invocation->deadline), "2026-07-02T13:50:13.750Z");
  EXPECT_EQ(invocation->function_arn, "arn:f");
  EXPECT_EQ(invocation->trace_id, "Root=1-2");
  EXPECT_EQ(invocation->client_context, "{}");
  EXPECT_EQ(invocation->cognito_identity, "who");
  EXPECT_EQ(invocation->tenant_id, "t");
  EXPECT_EQ(invocation->invocation_id, "i-1");
}

TEST(ParseInvocation, NeedsNothingButTheRequestId) {
  const auto invocation = parse_invocation({200, {{"Lambda-Runtime-Aws-Request-Id", "r-1"}}, ""});
  ASSERT_TRUE(invocation);
  EXPECT_EQ(invocation->deadline, std::nullopt);
  EXPECT_EQ(invocation->trace_id, "");
  EXPECT_EQ(invocation->invocation_id, "");
}

TEST(ParseInvocation, AMalformedDeadlineCountsAsNone) {
  for (const char* text : {"", "soon", "12x", "99999999999999999999"}) {
    const auto invocation = parse_invocation(
        {200,
         {{"Lambda-Runtime-Aws-Request-Id", "r-1"}, {"Lambda-Runtime-Deadline-Ms", text}},
         ""});
    ASSERT_TRUE(invocation);
    EXPECT_EQ(invocation->deadline, std::nullopt) << text;
  }
}

TEST(ParseInvocation, WithoutARequestIdItCannotBeAnswered) {
  EXPECT_EQ(parse_invocation({200, {}, "x"}).error().code, ErrorCode::kBadResponse);
  EXPECT_FALSE(parse_invocation({200, {{"Lambda-Runtime-Aws-Request-Id", "a/../b"}}, "x"}));
}

TEST(Requests, GoWhereTheRuntimeApiIs) {
  EXPECT_EQ(next_request(kEndpoint).url, kEndpoint.base + "invocation/next");
  EXPECT_EQ(next_request(kEndpoint).method, "GET");
  EXPECT_EQ(response_request(kEndpoint, delivery("r-1"), "{}").url,
            kEndpoint.base + "invocation/r-1/response");
  EXPECT_EQ(error_request(kEndpoint, delivery("r-1"), {"Function.X", "m"}).url,
            kEndpoint.base + "invocation/r-1/error");
  EXPECT_EQ(init_error_request(kEndpoint, {"Runtime.X", "m"}).url, kEndpoint.base + "init/error");
}

// Lambda refuses the answer of a delivery that timed out; it checks nothing where the id is
// missing.
TEST(Requests, AnswersCarryTheInvocationIdOfTheirDelivery) {
  constexpr const char* kHeader = "Lambda-Runtime-Invocation-Id";
  const Invocation named = delivery("r-1", "i-1");
  EXPECT_EQ(header(response_request(kEndpoint, named, "{}"), kHeader), "i-1");
  EXPECT_EQ(header(error_request(kEndpoint, named, {"Function.X", "m"}), kHeader), "i-1");
  const Invocation unnamed = delivery("r-1");
  EXPECT_EQ(header(response_request(kEndpoint, unnamed, "{}"), kHeader), "(none)");
  EXPECT_EQ(header(error_request(kEndpoint, unnamed, {"Function.X", "m"}), kHeader), "(none)");
  EXPECT_EQ(header(init_error_request(kEndpoint, {"Runtime.X", "m"}), kHeader), "(none)");
}

TEST(Requests, AnErrorCarriesTypeMessageAndCause) {
  const auto request =
      error_request(kEndpoint, delivery("r-1"), {"Function.InvalidInput", "no `x`"});
  const auto body = json::Document::parse(request.body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->root().find("errorType")->as_string(), "Function.InvalidInput");
  EXPECT_EQ(body->root().find("errorMessage")->as_string(), "no `x`");
  EXPECT_TRUE(body->root().find("stackTrace")->is_array());
  std::string type;
  std::string cause;
  for (const auto& header : request.headers) {
    if (header.name == "Lambda-Runtime-Function-Error-Type") type = header.value;
    if (header.name == "Lambda-Runtime-Function-XRay-Error-Cause") cause = header.value;
  }
  EXPECT_EQ(type, "Function.InvalidInput");
  const auto parsed = json::Document::parse(cause);
  ASSERT_TRUE(parsed) << cause;
  const json::Value exception = *parsed->root().find("exceptions")->elements().begin();
  EXPECT_EQ(exception.find("message")->as_string(), "no `x`");
  EXPECT_EQ(exception.find("type")->as_string(), "Function.InvalidInput");
}

TEST(Requests, ALongMessageDoesNotMakeAnUnusableCause) {
  const auto request =
      error_request(kEndpoint, delivery("r-1"), {"Function.X", std::string(200'000, '\n')});
  for (const auto& header : request.headers) {
    EXPECT_LT(header.value.size(), 64U * 1024) << header.name;
    EXPECT_EQ(header.value.find('\n'), std::string::npos);
  }
}

TEST(InvocationError, TypeIsMadeOfLettersOnly) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const auto error = InvocationError::from({static_cast<ErrorCode>(code), "m"});
    ASSERT_TRUE(error.type.starts_with("Function."));
    for (const char c : error.type.substr(9))
      EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) << error.type;
  }
}

}  // namespace
}  // namespace trainwarden::lambda::api_test
