#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "handlers/state/state_function.h"
#include "tests/support/aws/in_process_aws.h"
#include "tests/support/env.h"
#include "tests/support/manual_clock.h"
#include "tests/support/transcript.h"

namespace trainwarden::state::function_test {
namespace {

using testing::Env;

constexpr const char* kPolicy =
    R"(TRAINWARDEN_POLICY={"version":1,"mode":"enforce","rules":[{"name":"r",)"
    R"("match":{"job":{"TrainingJobStatus":["InProgress"]},"tags":{"model_name":[{"exists":false}]}},)"
    R"("actions":["stop"]}]})";

std::string event(const char* region, const char* status, const char* account = "111122223333") {
  return std::string(
             R"({"id":"e","detail-type":"SageMaker Training Job State Change","source":"aws.sagemaker",)") +
         R"("account":")" + account + R"(","region":")" + region +
         R"(","detail":{"TrainingJobName":"job-1","TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1","TrainingJobStatus":")" +
         status + R"(","CreationTime":1783000000000}})";
}

class StateFunctionTest : public ::testing::Test {
 protected:
  Result<StateFunction> start(const Env& env) {
    return StateFunction::start(env(), aws_, clock_, log_);
  }
  Result<std::string> handle(StateFunction& function, std::string payload) {
    const lambda::Invocation invocation{
        *lambda::RequestId::parse("r-1"), std::move(payload), {}, arn_, "Root=1-2", {}, {}, {}};
    auto answer = function.handle({invocation, clock_.in(std::chrono::seconds(60)), log_});
    testing::transcribe("answer", answer ? *answer : answer.error().message);
    return answer;
  }

  std::string arn_ = {};  // of the function, as Lambda tells it
  const Env env_{"AWS_REGION=eu-central-1",
                 "AWS_ACCESS_KEY_ID=AKIDEXAMPLE",
                 "AWS_SECRET_ACCESS_KEY=s",
                 "AWS_MAX_ATTEMPTS=1",
                 kPolicy,
                 "TRAINWARDEN_TABLE=" + testing::state_table().arn()};
  testing::ManualClock clock_{sys_millis(std::chrono::milliseconds(1783000213000))};
  testing::InProcessAws aws_{clock_};
  lambda::Log log_{lambda::LogFormat::kJson, lambda::Level::kFatal, STDOUT_FILENO, clock_};
};

TEST_F(StateFunctionTest, AnswersWithTheRecord) {
  auto function = start(env_);
  ASSERT_TRUE(function) << function.error().message;
  const auto answer = handle(*function, event("eu-central-1", "Completed"));
  ASSERT_TRUE(answer);
  const auto record = json::Document::parse(*answer);
  EXPECT_EQ(record->root().find("conclusion")->as_string(), "decided");
  EXPECT_EQ(record->root().find("state")->as_string(), "Completed/?");
}

TEST_F(StateFunctionTest, R1_TheRecordListsTheCalls) {
  auto function = start(env_);
  aws_.place({.tags = {{"model_name", "m"}}});
  const auto answer = handle(*function, event("eu-central-1", "InProgress"));
  ASSERT_TRUE(answer);
  const std::string listed = fmt::format(
      R"("calls":[{{"service":"sagemaker","operation":"ListTags","attempts":1,"outcome":"ok",)"
      R"("target":"{}","at":"2026-07-02T13:50:13.000Z","took_ms":0}}])",
      testing::arn_of("job-1"));
  EXPECT_NE(answer->find(listed), std::string::npos) << *answer;
}

// An id and a time that make no sense are no reason to drop the event.
TEST_F(StateFunctionTest, R1_TheRecordTellsTheEventsIdAndTime) {
  auto function = start(env_);
  for (const char* time : {"2026-07-02T13:50:00Z", "yesterday"}) {
    std::string told = event("eu-central-1", "Completed");
    told.insert(1, fmt::format(R"("time":"{}",)", time));
    const auto answer = handle(*function, told);
    ASSERT_TRUE(answer) << told;
    const auto record = json::Document::parse(*answer);
    const json::Value claimed = *record->root().find("event");
    EXPECT_EQ(claimed.find("status")->as_string(), "Completed");
    EXPECT_TRUE(claimed.find("id"));
    EXPECT_EQ(claimed.find("time").has_value(), time[0] == '2');
  }
}

TEST_F(StateFunctionTest, A1_AnEventOfAJobThatMustNotBeStopsIt) {
  auto function = start(env_);
  aws_.place({.more = R"(,"CreationTime":1783000000)"});
  ASSERT_TRUE(handle(*function, event("eu-central-1", "InProgress")));
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(StateFunctionTest, S1_AScheduledEventSweeps) {
  auto function = start(env_);
  aws_.place({});
  const auto answer = handle(
      *function,
      R"({"id":"e","detail-type":"Scheduled Event","source":"aws.events","account":"111122223333","region":"eu-central-1","detail":{}})");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->find(R"("complete":true)"), std::string::npos);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(StateFunctionTest, S2_AWeeklyEventReportsAndDoesNothingElse) {
  auto function = start(env_);
  aws_.place({});  // which a sweep would stop
  const auto weekly = [&](const char* account, const char* region) {
    return handle(
        *function,
        fmt::format(R"({{"id":"w","detail-type":"Trainwarden Weekly Report","source":"aws.events",)"
                    R"("account":"{}","region":"{}","time":"2026-07-02T13:50:00Z"}})",
                    account, region));
  };
  arn_ = "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-state";
  EXPECT_FALSE(weekly("444455556666", "eu-central-1"));
  EXPECT_FALSE(weekly("111122223333", "us-east-1"));
  EXPECT_TRUE(aws_.calls.empty());
  const auto answer = weekly("111122223333", "eu-central-1");
  ASSERT_TRUE(answer) << answer.error().message;
  const auto record = json::Document::parse(*answer);
  EXPECT_EQ(record->root().find("trigger")->as_string(), "report");
  EXPECT_EQ(record->root().find("notice")->as_string(), "no topic");
  EXPECT_EQ(record->root().find("week")->find("all")->find("running")->as_number(), 1);
  EXPECT_FALSE(aws_.wrote());
  aws_.refuse("Search", testing::kDenied);
  EXPECT_FALSE(weekly("111122223333", "eu-central-1"));
}

TEST_F(StateFunctionTest, F5_AScheduledEventOfAnotherAccountOrRegionIsRefusedClearly) {
  auto function = start(env_);
  aws_.place({});
  arn_ = "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-state";
  const auto sweep = [&](const char* account, const char* region) {
    return handle(
        *function,
        fmt::format(
            R"({{"id":"e","detail-type":"Scheduled Event","source":"aws.events","account":"{}","region":"{}"}})",
            account, region));
  };
  EXPECT_FALSE(sweep("444455556666", "eu-central-1"));
  EXPECT_FALSE(sweep("111122223333", "us-east-1"));
  EXPECT_TRUE(aws_.calls.empty());
  EXPECT_TRUE(sweep("111122223333", "eu-central-1"));
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

// One policy for many accounts: what a state change and a sweep do is the same.
TEST_F(StateFunctionTest, F5_RulesOnTheAccountHoldForEventsAndSweeps) {
  const auto env_of = [](const char* account) {
    return Env{
        "AWS_REGION=eu-central-1",
        "AWS_ACCESS_KEY_ID=AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY=s",
        "AWS_MAX_ATTEMPTS=1",
        fmt::format(
            R"(TRAINWARDEN_POLICY={{"version":1,"mode":"enforce","rules":[{{"name":"r",)"
            R"("match":{{"job":{{"TrainingJobStatus":["InProgress"]}},)"
            R"("event":{{"account":["{}"],"region":["eu-central-1"]}}}},"actions":["stop"]}}]}})",
            account),
        "TRAINWARDEN_TABLE=" + testing::state_table().arn()};
  };
  const std::string sweep =
      R"({"id":"e","detail-type":"Scheduled Event","source":"aws.events","account":"111122223333","region":"eu-central-1"})";
  arn_ = "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-state";
  for (const std::string& payload : {event("eu-central-1", "InProgress"), sweep}) {
    aws_.place({.more = R"(,"CreationTime":1783000000)"});
    auto others = start(env_of("444455556666"));
    ASSERT_TRUE(others) << others.error().message;
    ASSERT_TRUE(handle(*others, payload));
    EXPECT_EQ(aws_.status("job-1"), "InProgress");
    EXPECT_EQ(aws_.count("DescribeTrainingJob"), 0);
    auto ours = start(env_of("111122223333"));
    ASSERT_TRUE(handle(*ours, payload));
    EXPECT_EQ(aws_.status("job-1"), "Stopping") << payload;
    aws_.calls.clear();
  }
}

TEST_F(StateFunctionTest, TheTraceIsHandedOn) {
  auto function = start(env_);
  aws_.place({.tags = {{"model_name", "m"}}});
  ASSERT_TRUE(handle(*function, event("eu-central-1", "InProgress")));
  EXPECT_EQ(aws_.requests.at(0).headers.back(), (http::Header{"X-Amzn-Trace-Id", "Root=1-2"}));
}

TEST_F(StateFunctionTest, F1_AnUndecidableJobFailsTheInvocation) {
  auto function = start(env_);
  aws_.refuse("ListTags", testing::kDenied);
  const auto answer = handle(*function, event("eu-central-1", "InProgress"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find("job-1"), std::string::npos);
}

TEST_F(StateFunctionTest, AnEventOfAnotherRegionIsRefusedClearly) {
  auto function = start(env_);
  const auto answer = handle(*function, event("us-east-1", "InProgress"));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("expected `eu-central-1`"), std::string::npos);
  EXPECT_NE(answer.error().message.find("found `us-east-1`"), std::string::npos);
}

// A job of that name runs here, too.
TEST_F(StateFunctionTest, F5_AnEventOfAnotherAccountIsRefusedClearly) {
  auto function = start(env_);
  aws_.place({.more = R"(,"CreationTime":1783000000)"});
  arn_ = "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-state";
  const auto answer = handle(*function, event("eu-central-1", "InProgress", "444455556666"));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("expected `111122223333`"), std::string::npos);
  EXPECT_NE(answer.error().message.find("found `444455556666`"), std::string::npos);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_TRUE(aws_.calls.empty());
  ASSERT_TRUE(handle(*function, event("eu-central-1", "InProgress")));
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(StateFunctionTest, P2_ABrokenPolicyIsAnInitError) {
  const Env env{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=s",
                R"(TRAINWARDEN_POLICY={"version":1,"rulez":[]})"};
  const auto function = start(env);
  ASSERT_FALSE(function);
  EXPECT_EQ(function.error().code, ErrorCode::kInvalidPolicy);
  EXPECT_NE(function.error().message.find("rulez"), std::string::npos);
}

TEST_F(StateFunctionTest, P5_APolicyInSsmIsReadAtStartAndAgainAndTheLastGoodOneStays) {
  const Env env{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=s",
                "AWS_MAX_ATTEMPTS=1", "TRAINWARDEN_POLICY=ssm:/trainwarden/policy"};
  const auto put = [this](const char* rule) {
    json::Writer out;
    out.begin_object().member("Name", "/trainwarden/policy").member("Overwrite", true);
    out.member("Type", "SecureString");
    out.member("Value", fmt::format(R"({{"version":1,"mode":"observe","rules":[{{"name":"{}",)"
                                    R"("match":{{"job":{{"TrainingJobStatus":["InProgress"]}}}},)"
                                    R"("actions":["notify"]}}]}})",
                                    rule));
    out.end_object();
    ASSERT_TRUE(aws_.call("PutParameter", out.take()));
  };
  put("first");
  auto function = start(env);
  ASSERT_TRUE(function) << function.error().message;
  const auto decided_by = [&](const char* rule) {
    const auto answer = handle(*function, event("eu-central-1", "InProgress"));
    return answer && answer->find(rule) != std::string::npos;
  };
  EXPECT_TRUE(decided_by("first"));
  put("second");
  aws_.refuse("GetParameter", testing::kDenied);
  aws_.pass(std::chrono::seconds(61));
  EXPECT_TRUE(decided_by("first"));
  aws_.pass(std::chrono::seconds(61));
  EXPECT_TRUE(decided_by("second"));
}

TEST_F(StateFunctionTest, P5_AParameterThatCannotBeReadIsAnInitError) {
  const Env env{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=s",
                "AWS_MAX_ATTEMPTS=1", "TRAINWARDEN_POLICY=ssm:/trainwarden/policy"};
  const auto function = start(env);
  ASSERT_FALSE(function);
  EXPECT_NE(function.error().message.find("/trainwarden/policy"), std::string::npos)
      << function.error().message;
}

TEST_F(StateFunctionTest, MissingCredentialsAreAnInitError) {
  const Env env{"AWS_REGION=eu-central-1", kPolicy};
  const auto function = start(env);
  ASSERT_FALSE(function);
  EXPECT_NE(function.error().message.find("AWS_ACCESS_KEY_ID"), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::state::function_test
