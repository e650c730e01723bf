#include "awsapi/client.h"

#include <gtest/gtest.h>

#include "awsapi/sagemaker.h"
#include "tests/awsapi/client_fixture.h"
#include "tests/support/env.h"

namespace trainwarden::aws::client_test {
namespace {

using client_fixture::ClientTest;
using client_fixture::header;
using std::chrono::milliseconds;
using testing::ScriptedTransport;

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

// Nothing is sent to a name that no DNS has, nor to an endpoint that nobody asked for.
TEST_F(ClientTest, ACallWithoutAFipsEndpointFailsByItselfAndSaysWhatToDo) {
  const testing::Env env{"AWS_USE_FIPS_ENDPOINT=true"};
  Client client({{"AKID", Secret("secret"), Secret()},
                 "us-east-1",
                 3,
                 *Endpoints::from(env(), "us-east-1"),
                 nullptr},
                transport_, clock_, [] { return 0.5; });
  transport_.expect("api-fips.sagemaker.us-east-1.amazonaws.com", 200, "{}");
  const std::vector<Call> calls{
      {&kPricing, "GetProducts", "{}"}, describe(), {&kServiceQuotas, "ListServiceQuotas", "{}"}};
  const auto answers = client.call_all(calls, context());
  EXPECT_TRUE(answers.at(1));
  for (const auto& [at, variable] :
       {std::pair<std::size_t, const char*>{0, "_PRICING"}, {2, "_SERVICE_QUOTAS"}}) {
    ASSERT_FALSE(answers.at(at));
    const std::string& message = answers.at(at).error().message;
    EXPECT_NE(message.find("AWS has no FIPS endpoint of "), std::string::npos) << message;
    EXPECT_NE(message.find(std::string("AWS_ENDPOINT_URL") + variable), std::string::npos)
        << message;
  }
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
    EXPECT_EQ(client.call(describe(), context()).error().code, ErrorCode::kUnauthenticated);
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

// New ones may help; of what is only denied they do not.
TEST_F(ClientTest, CredentialsThatAreOverAreToldApartFromADenial) {
  const auto asked = [&](const char* code) {
    transport_.expect("DescribeTrainingJob", 400,
                      std::string(R"({"__type": ")") + code + R"(", "message": "no"})");
    const auto answer = client_.call(describe(), context());
    const bool over = made_.back().credentials_over();
    EXPECT_EQ(answer.error().code, over ? ErrorCode::kUnauthenticated : ErrorCode::kAccessDenied)
        << code;
    return over;
  };
  for (const char* const over : {"ExpiredTokenException", "ExpiredToken", "InvalidClientTokenId",
                                 "UnrecognizedClientException"})
    EXPECT_TRUE(asked(over)) << over;
  for (const char* const denied : {"AccessDeniedException", "OptInRequired"})
    EXPECT_FALSE(asked(denied)) << denied;
}

}  // namespace
}  // namespace trainwarden::aws::client_test
