#include "awsapi/client.h"

#include <gtest/gtest.h>

#include "awsapi/sagemaker.h"
#include "tests/support/env.h"
#include "tests/support/http_date.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::client_test {
namespace {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedTransport;

class ClientTest : public ::testing::Test {
 protected:
  CallContext context(milliseconds left = milliseconds(60'000)) {
    return {clock_.in(left), "Root=1-2;Sampled=1", &made_};
  }
  Call describe() { return SageMaker::describe_training_job_call(*JobName::parse("job-1")); }

  ManualClock clock_{sys_millis(milliseconds(1783000213000))};
  ScriptedTransport transport_;
  std::vector<CallMade> made_;
  Client client_{{{"AKIDEXAMPLE", Secret("secret"), Secret("token")},
                  "eu-central-1",
                  3,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.5; }};
};

std::string header(const http::Request& request, std::string_view name) {
  for (const auto& h : request.headers)
    if (h.name == name) return h.value;
  return "(none)";
}

TEST_F(ClientTest, SendsAJson11CallAndReadsTheAnswer) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, R"({"TrainingJobName":"job-1"})");
  const auto answer = client_.call(describe(), context());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->root().find("TrainingJobName")->as_string(), "job-1");
  const auto& request = transport_.sent.at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://api.example/");
  EXPECT_EQ(request.body, R"({"TrainingJobName":"job-1"})");
  EXPECT_EQ(header(request, "Content-Type"), "application/x-amz-json-1.1");
  EXPECT_NE(header(request, "Authorization").find("/eu-central-1/sagemaker/aws4_request"),
            std::string::npos);
  EXPECT_EQ(header(request, "X-Amzn-Trace-Id"), "Root=1-2;Sampled=1");
  EXPECT_EQ(header(request, "Authorization").find("x-amzn-trace-id"), std::string::npos);
}

// Those of a person's session: a job of the command's may outlive them.
class Renewed final : public CredentialSource {
 public:
  explicit Renewed(bool has_others) : has_others_(has_others) {}
  Result<Credentials> current() override {
    if (broken) return fail(ErrorCode::kInvalidConfig, "sign in again");
    return Credentials{id_, Secret("secret"), Secret()};
  }
  bool renew() override {
    ++renewals;
    id_ = "SECOND";
    return has_others_;
  }
  int renewals = 0;
  bool broken = false;

 private:
  bool has_others_;
  std::string id_ = "FIRST";
};

TEST_F(ClientTest, CredentialsThatAreOverAreRenewedOnceACall) {
  constexpr const char* kOver = R"({"__type":"ExpiredTokenException"})";
  for (const bool has_others : {true, false}) {
    Renewed source(has_others);
    Client client({{}, "eu-central-1", 1, Endpoints::all_at("https://api.example/"), &source},
                  transport_, clock_, [] { return 0.5; });
    transport_.expect("DescribeTrainingJob", 400, kOver);
    if (has_others) transport_.expect("DescribeTrainingJob", 400, kOver);
    EXPECT_EQ(client.call(describe(), context()).error().code, ErrorCode::kAccessDenied);
    EXPECT_EQ(source.renewals, 1);
    EXPECT_NE(header(transport_.sent.back(), "Authorization").find(has_others ? "SECOND" : "FIRST"),
              std::string::npos);
  }
}

TEST_F(ClientTest, WithoutCredentialsNothingIsSent) {
  Renewed source(true);
  source.broken = true;
  Client client({{}, "eu-central-1", 3, Endpoints::all_at("https://api.example/"), &source},
                transport_, clock_, [] { return 0.5; });
  const auto answer = client.call(describe(), context());
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("sign in again"), std::string::npos);
  EXPECT_TRUE(transport_.sent.empty());
  EXPECT_TRUE(made_.back().credentials_over());
}

// For records: with the attempts and the waits between them, and no parameters but a name.
TEST_F(ClientTest, R1_ACallIsNotedWithItsTimeAndTarget) {
  const sys_millis begin = clock_.now();
  transport_.expect("SageMaker.DescribeTrainingJob", 400, R"({"__type":"ThrottlingException"})");
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{}");
  ASSERT_TRUE(client_.call(describe(), context()));
  ASSERT_EQ(made_.size(), 1U);
  EXPECT_EQ(made_[0].target, "job-1");
  EXPECT_EQ(made_[0].at, begin);
  EXPECT_EQ(made_[0].took, clock_.now() - begin);
  EXPECT_GT(made_[0].took, milliseconds(0));
}

TEST_F(ClientTest, AnEmptyAnswerIsAnEmptyObject) {
  transport_.expect("DescribeTrainingJob", 200, "");
  EXPECT_TRUE(client_.call(describe(), context())->root().is_object());
}

TEST_F(ClientTest, TransientFailuresAreRetriedWithinTheAttempts) {
  transport_.expect("DescribeTrainingJob", 500, "");
  transport_.expect_error("DescribeTrainingJob", ErrorCode::kConnection);
  transport_.expect("DescribeTrainingJob", 200, "{}");
  EXPECT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(clock_.slept, (std::vector{milliseconds(25), milliseconds(50)}));
  ASSERT_EQ(made_.size(), 1U);
  EXPECT_EQ(made_[0].attempts, 3);
  EXPECT_EQ(made_[0].outcome, "ok");
}

TEST_F(ClientTest, EveryAttemptIsSignedAnew) {
  transport_.expect("DescribeTrainingJob", 429, R"({"__type":"ThrottlingException"})");
  transport_.expect("DescribeTrainingJob", 429, R"({"__type":"ThrottlingException"})");
  transport_.expect("DescribeTrainingJob", 200, "{}");
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_NE(header(transport_.sent[0], "X-Amz-Date"), header(transport_.sent[2], "X-Amz-Date"));
}

TEST_F(ClientTest, ThrottlingWaitsLongerAndHonoursTheServicesWish) {
  transport_.expect("DescribeTrainingJob", 400,
                    R"({"__type":"ThrottlingException","message":"Rate exceeded"})");
  transport_.expect("DescribeTrainingJob", 400, R"({"__type":"ThrottlingException"})",
                    {{"x-amz-retry-after", "3000"}});
  transport_.expect("DescribeTrainingJob", 400, R"({"__type":"ThrottlingException"})");
  const auto answer = client_.call(describe(), context());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(clock_.slept, (std::vector{milliseconds(500), milliseconds(3000)}));
}

TEST_F(ClientTest, NothingIsRetriedPastTheDeadline) {
  transport_.expect("DescribeTrainingJob", 400, R"({"__type":"ThrottlingException"})");
  EXPECT_FALSE(client_.call(describe(), context(milliseconds(400))));
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(ClientTest, RefusalsAreNotRetried) {
  transport_.expect("DescribeTrainingJob", 400,
                    R"({"__type":"ValidationException","message":"Requested resource not found."})",
                    {{"x-amzn-requestid", "id-1"}});
  const auto answer = client_.call(describe(), context());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(answer.error().message,
            "DescribeTrainingJob: ValidationException: Requested resource not found. (HTTP 400, "
            "request id id-1)");
}

TEST_F(ClientTest, CallsThatGoTogetherAreRetriedAlone) {
  transport_.expect("DescribeTrainingJob", 200, R"({"a":1})");
  transport_.expect("ListTags", 503, "");
  transport_.expect("ListTags", 200, R"({"Tags":[]})");
  const std::vector<Call> calls{describe(), SageMaker::list_tags_call("arn:x")};
  const auto answers = client_.call_all(calls, context());
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[1]);
  EXPECT_EQ(transport_.batches, (std::vector<std::size_t>{2, 1}));
  ASSERT_EQ(made_.size(), 2U);
  EXPECT_EQ(made_[0].operation, "DescribeTrainingJob");
  EXPECT_EQ(made_[1].attempts, 2);
}

TEST_F(ClientTest, AnAnswerThatIsNotJsonIsAnErrorThatQuotesNoBody) {
  transport_.expect("DescribeTrainingJob", 200, "<html>hunter2</html>");
  const auto answer = client_.call(describe(), context());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kBadResponse);
  EXPECT_EQ(answer.error().message.find("hunter2"), std::string::npos);
}

TEST_F(ClientTest, TheRetryBudgetRunsOut) {
  // 500 tokens, 14 a transient retry, none given back: 35 retries in all.
  std::size_t calls = 0;
  for (; calls < 60; ++calls) {
    ScriptedTransport::Answer down = [](const http::Request&) -> Result<http::Response> {
      return http::Response{503, {}, ""};
    };
    const std::size_t retries = calls < 17 ? 2 : calls == 17 ? 1 : 0;
    for (std::size_t i = 0; i <= retries; ++i) transport_.expect("DescribeTrainingJob", down);
    EXPECT_FALSE(client_.call(describe(), context(milliseconds(600'000))));
  }
}

TEST_F(ClientTest, AGivenUpCallSaysWhy) {
  const std::string throttled = R"({"__type":"ThrottlingException","message":"Rate exceeded"})";
  for (int i = 0; i < 3; ++i) transport_.expect("DescribeTrainingJob", 400, throttled);
  EXPECT_NE(client_.call(describe(), context()).error().message.find("after 3 attempts"),
            std::string::npos);
  transport_.expect("DescribeTrainingJob", 400, throttled);
  EXPECT_NE(
      client_.call(describe(), context(milliseconds(100))).error().message.find("no time is left"),
      std::string::npos);
}

// Answers with the date that the service's clock shows, `ahead` of ours.
ScriptedTransport::Answer dated(const ManualClock& clock, std::chrono::seconds ahead, int status,
                                std::string body) {
  return [&clock, ahead, status, body](const http::Request&) -> Result<http::Response> {
    const auto theirs = std::chrono::floor<std::chrono::seconds>(clock.now()) + ahead;
    return http::Response{status, {{"Date", testing::http_date(theirs)}}, body};
  };
}

TEST_F(ClientTest, ASkewedClockIsCorrectedAndTheCallRepeated) {
  constexpr std::chrono::seconds kAhead{3600};
  transport_.expect("DescribeTrainingJob",
                    dated(clock_, kAhead, 403, R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  EXPECT_TRUE(client_.call(describe(), context()));
  EXPECT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(header(transport_.sent.at(0), "X-Amz-Date"), "20260702T135013Z");
  EXPECT_EQ(header(transport_.sent.at(1), "X-Amz-Date"), "20260702T145013Z");
  EXPECT_EQ(header(transport_.sent.at(2), "X-Amz-Date"), "20260702T145013Z");
}

TEST_F(ClientTest, AClockThatIsSetRightAgainIsFollowed) {
  constexpr std::chrono::seconds kAhead{3600};
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  ASSERT_TRUE(client_.call(describe(), context()));
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(0), 403,
                                                 R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(0), 200, "{}"));
  EXPECT_TRUE(client_.call(describe(), context()));
}

TEST_F(ClientTest, EachCallFollowsTheClockOfItsOwnService) {
  constexpr std::chrono::seconds kAhead{900};
  transport_.expect("DescribeTrainingJob",
                    dated(clock_, kAhead, 403, R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("ListTags", dated(clock_, std::chrono::seconds(0), 200, "{}"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  const std::vector<Call> calls{describe(), SageMaker::list_tags_call("arn:x")};
  const auto answers = client_.call_all(calls, context());
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[1]);
  EXPECT_EQ(header(transport_.sent.at(2), "X-Amz-Date"), "20260702T140513Z");
}

// A connection that comes about slowly makes the service's clock look ahead of ours.
TEST_F(ClientTest, ASlowExchangeTellsNoSkewThatItsLengthExplains) {
  const auto after = [&](std::chrono::seconds there, std::chrono::seconds ahead) {
    return [&, there, ahead](const http::Request& request) {
      clock_.advance(there);
      return dated(clock_, ahead, 200, "{}")(request);
    };
  };
  using std::chrono::seconds;
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(0)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(0));
  // What is known stays where the exchange allows it; else it is learned anew.
  transport_.expect("DescribeTrainingJob", after(seconds(0), seconds(60)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(60));
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(58)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(60));
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(300)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_NEAR(static_cast<double>(client_.skew().count()), 300, 7);
}

// Date has whole seconds: a call in the first half of a minute is not one of the minute before.
TEST_F(ClientTest, WhatDateCutsOffIsNoSkew) {
  for (const int behind : {-1, 0}) {
    transport_.expect("DescribeTrainingJob",
                      dated(clock_, std::chrono::seconds(behind), 200, "{}"));
    ASSERT_TRUE(client_.call(describe(), context()));
    EXPECT_EQ(client_.skew(), std::chrono::seconds(0)) << behind;
  }
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(5), 200, "{}"));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_NEAR(static_cast<double>(client_.skew().count()), 5, 1);
}

TEST_F(ClientTest, AWrongSignatureUnderARightClockIsNotRepeated) {
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(2), 403,
                                                 R"({"__type":"InvalidSignatureException"})"));
  EXPECT_EQ(client_.call(describe(), context()).error().code, ErrorCode::kAccessDenied);
}

TEST_F(ClientTest, ACachedAnswerSaysNothingAboutTheClock) {
  transport_.expect("DescribeTrainingJob", 403, R"({"__type":"InvalidSignatureException"})",
                    {{"Date", "Thu, 02 Jul 2026 18:50:13 GMT"}, {"Age", "60"}});
  EXPECT_FALSE(client_.call(describe(), context()));
}

TEST_F(ClientTest, ManyCallsGoOutAFewAtATime) {
  std::vector<Call> calls;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(describe());
    transport_.expect("DescribeTrainingJob", 200, "{}");
  }
  EXPECT_EQ(client_.call_all(calls, context()).size(), 20U);
  EXPECT_EQ(transport_.batches, (std::vector<std::size_t>{8, 8, 4}));
}

TEST_F(ClientTest, PagesAreFollowedToTheEndOrUntilEnough) {
  const auto make = [](std::string_view token) {
    return Call{&kSageMaker, "Search", std::string("{\"t\":\"") + std::string(token) + "\"}"};
  };
  transport_.expect(R"({"t":""})", 200, R"({"NextToken":"a"})");
  transport_.expect(R"({"t":"a"})", 200, R"({"NextToken":"b"})");
  transport_.expect(R"({"t":"b"})", 200, "{}");
  int seen = 0;
  const auto count = [&](json::Value) -> Result<bool> { return ++seen > 0; };
  EXPECT_TRUE(client_.pages(make, "NextToken", count, context()));
  EXPECT_EQ(seen, 3);
  transport_.expect(R"({"t":""})", 200, R"({"NextToken":"a"})");
  const auto stop = [](json::Value) -> Result<bool> { return false; };
  EXPECT_TRUE(client_.pages(make, "NextToken", stop, context()));
  transport_.expect(R"({"t":""})", 200, R"({"NextToken":"a"})");
  transport_.expect(R"({"t":"a"})", 200, R"({"NextToken":"a"})");
  EXPECT_EQ(client_.pages(make, "NextToken", count, context()).error().code,
            ErrorCode::kBadResponse);
}

TEST_F(ClientTest, APageUnderWayIsKeptAndNoneIsBegunAfterTheLastOnesTime) {
  const auto make = [](std::string_view token) {
    return Call{&kSageMaker, "Search", std::string("{\"t\":\"") + std::string(token) + "\"}"};
  };
  const auto slowly = [this](const char* body) {
    return [this, body](const http::Request&) -> Result<http::Response> {
      clock_.sleep_for(milliseconds(4000));
      return http::Response{200, {}, body};
    };
  };
  transport_.expect(R"({"t":""})", slowly(R"({"NextToken":"a"})"));
  transport_.expect(R"({"t":"a"})", slowly(R"({"NextToken":"b"})"));
  int seen = 0;
  const auto count = [&](json::Value) -> Result<bool> { return ++seen > 0; };
  CallContext until = context();
  until.last_page = clock_.in(milliseconds(8000));
  const auto walked = client_.pages(make, "NextToken", count, until);
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code, ErrorCode::kDeadline);
  EXPECT_EQ(seen, 2);
  // The first page is always asked for, and one that is the last was in time.
  transport_.expect(R"({"t":""})", slowly("{}"));
  EXPECT_TRUE(client_.pages(make, "NextToken", count, until));
}

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
      {403, "InvalidSignatureException", "", ErrorCode::kAccessDenied},
      {400, "ExpiredTokenException", "", ErrorCode::kAccessDenied},
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

TEST(Backoff, GrowsWithJitterAndIsCapped) {
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, {}), milliseconds(50));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 2, 1.0, {}), milliseconds(200));
  EXPECT_EQ(backoff(ErrorCode::kThrottled, 1, 0.5, {}), milliseconds(1000));
  EXPECT_EQ(backoff(ErrorCode::kThrottled, 30, 1.0, {}), milliseconds(20'000));
}

TEST(Backoff, AServicesWishIsHonouredWithinFiveSeconds) {
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(700)), milliseconds(700));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(60'000)), milliseconds(5050));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(1)), milliseconds(50));
}

TEST(Configuration, AMalformedVariableIsNamed) {
  const struct {
    std::vector<std::string> set;
    const char* named;
  } cases[] = {
      {{"AWS_REGION=", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}, "AWS_REGION"},
      {{"AWS_REGION=Frankfurt!", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}, "Frankfurt!"},
      {{"AWS_REGION=eu-central-1", "AWS_SECRET_ACCESS_KEY=b"}, "AWS_ACCESS_KEY_ID"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a"}, "AWS_SECRET_ACCESS_KEY"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b\r\nX: y"},
       "AWS_SECRET_ACCESS_KEY"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b",
        "AWS_ENDPOINT_URL=ftp://x"},
       "AWS_ENDPOINT_URL"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b",
        "AWS_MAX_ATTEMPTS=0"},
       "AWS_MAX_ATTEMPTS"},
  };
  for (const auto& [set, named] : cases) {
    std::vector<const char*> pointers;
    for (const auto& entry : set) pointers.push_back(entry.c_str());
    pointers.push_back(nullptr);
    const auto config = ClientConfig::from(Environment(pointers.data()));
    ASSERT_FALSE(config) << named;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
    EXPECT_NE(config.error().message.find(named), std::string::npos) << config.error().message;
    EXPECT_EQ(config.error().message.find("=b"), std::string::npos) << "a secret is shown";
  }
}

TEST(Configuration, AWS_DEFAULT_REGIONIsTheSecondChoice) {
  const testing::Env env{"AWS_DEFAULT_REGION=us-west-2"};
  EXPECT_EQ(*region_from(env()), "us-west-2");
  const testing::Env both{"AWS_DEFAULT_REGION=us-west-2", "AWS_REGION=eu-central-1"};
  EXPECT_EQ(*region_from(both()), "eu-central-1");
}

// New ones may help; of what is only denied they do not.
TEST_F(ClientTest, CredentialsThatAreOverAreToldApartFromADenial) {
  const auto asked = [&](const char* code) {
    transport_.expect("DescribeTrainingJob", 400,
                      std::string(R"({"__type": ")") + code + R"(", "message": "no"})");
    const auto answer = client_.call(describe(), context());
    EXPECT_EQ(answer.error().code, ErrorCode::kAccessDenied) << code;
    return made_.back().credentials_over();
  };
  for (const char* const over : {"ExpiredTokenException", "ExpiredToken", "InvalidClientTokenId",
                                 "UnrecognizedClientException"})
    EXPECT_TRUE(asked(over)) << over;
  for (const char* const denied : {"AccessDeniedException", "OptInRequired"})
    EXPECT_FALSE(asked(denied)) << denied;
}

}  // namespace
}  // namespace trainwarden::aws::client_test
