// One job's way through decide, gather, recheck and execute, against scripted answers.
#include "handlers/actions/handle_job.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualClock;
using testing::ScriptedTransport;

constexpr long kNow = 1783000213;
constexpr const char* kArn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";

constexpr const char* kTagRule = R"(
  { "name": "required-tags",
    "match": { "job": { "TrainingJobStatus": ["InProgress"] }, "tags": { "model_name": [{ "exists": false }] } },
    "actions": ["stop", "notify"], "message": "Training jobs need the tag model_name." })";
constexpr const char* kTypeRule = R"(
  { "name": "no-p5", "match": { "job": { "TrainingJobStatus": ["InProgress"],
                                         "ResourceConfig": { "InstanceType": ["ml.p5.48xlarge"] } } },
    "actions": ["stop"] })";

rules::Policy policy(const std::string& rules, const std::string& mode = "enforce") {
  auto parsed =
      rules::parse_policy(fmt::format(R"({{"version":1,"mode":"{}","rules":[{}]}})", mode, rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

struct Job {
  std::string status = "InProgress";
  std::string secondary = "Starting";
  std::string type = "ml.g5.12xlarge";
  long created = kNow - 60;
  std::string arn = kArn;
};

std::string describe(const Job& job = {}) {
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("CreationTime":{}.25,"ResourceConfig":{{"InstanceType":"{}","InstanceCount":1}},)"
      R"("HyperParameters":{{"password":"hunter2"}}}})",
      job.arn, job.status, job.secondary, job.created, job.type);
}

constexpr const char* kNoTags = R"({"Tags":[{"Key":"username","Value":"jo"}]})";
constexpr const char* kTagged = R"({"Tags":[{"Key":"model_name","Value":"mnist"}]})";
constexpr const char* kDenied = R"({"__type":"AccessDeniedException","message":"not authorized"})";

class HandleJobTest : public ::testing::Test {
 protected:
  Record handle(const rules::Policy& policy, rules::Mode ceiling = rules::Mode::kEnforce,
                const char* arn = kArn) {
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_);
    return handle_job({policy, ceiling}, {*aws::JobName::parse("job-1"), arn}, event_, apis);
  }
  static std::string result(const Record& record, std::size_t decision = 0,
                            std::size_t action = 0) {
    if (decision >= record.decisions.size()) return "(no such decision)";
    const auto& actions = record.decisions[decision].actions;
    return action < actions.size() ? actions[action].result : "(no such action)";
  }
  ScriptedTransport& look(const std::string& describe_answer, const std::string& tags_answer) {
    return transport_.expect("SageMaker.DescribeTrainingJob", 200, describe_answer)
        .expect("SageMaker.ListTags", 200, tags_answer);
  }

  // The count of the hour's stops, which precedes each stop (P7).
  ScriptedTransport& expect_search(const std::string& results = "[]") {
    return transport_.expect("SageMaker.Search", 200, R"({"Results":)" + results + "}");
  }
  static std::string stopped_job(const std::string& name, long at) {
    return R"({"TrainingJob":{"TrainingJobName":")" + name +
           R"(","Tags":[{"Key":"trainwarden:action","Value":"stop"},{"Key":"trainwarden:at","Value":")" +
           rfc3339(sys_seconds(seconds(at))) + R"("}]}})";
  }

  milliseconds left_{60'000};
  ManualClock clock_{sys_millis(milliseconds(kNow * 1000 + 500))};
  ScriptedTransport transport_;
  aws::Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                       "eu-central-1",
                       1,
                       aws::Endpoints::all_at("https://api.example/")},
                      transport_,
                      clock_,
                      [] { return 0.0; }};
  Config config_;
  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Starting",
                         .creation_time = sys_seconds(seconds(kNow - 60))};
};

TEST_F(HandleJobTest, F6_AnEventThatNoRuleCanMatchCostsNoCall) {
  event_.training_job_status = "Completed";
  event_.secondary_status = "Completed";
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(record.conclusion, "decided");
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_TRUE(transport_.sent.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, A1_AViolationIsLookedAtTaggedAndStopped) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);  // all that was unknown
  look(describe(), kNoTags);                              // the look before acting
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(result(record, 0, 1), "logged");
  EXPECT_FALSE(record.failure());
  const auto tags = json::Document::parse(transport_.sent.at(4).body);
  EXPECT_EQ(
      json::to_text(tags->root()),
      fmt::format(
          R"({{"ResourceArn":"{}","Tags":[)"
          R"({{"Key":"trainwarden:action","Value":"stop"}},)"
          R"({{"Key":"trainwarden:rule","Value":"required-tags"}},)"
          R"({{"Key":"trainwarden:reason","Value":"Training jobs need the tag model_name."}},)"
          R"({{"Key":"trainwarden:at","Value":"2026-07-02T13:50:13Z"}},)"
          R"({{"Key":"trainwarden:stopped","Value":"2026-07-02T13:50:13Z"}}]}})",
          kArn));
}

TEST_F(HandleJobTest, A1_ACompliantJobIsLeftAlone) {
  transport_.expect("SageMaker.ListTags", 200, kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, A1_ATagThatArrivedMeanwhileSavesTheJob) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "not done: the rule no longer matches");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, A1_AnAbsentTagCountsOnlyFromFifteenSecondsOn) {
  event_.creation_time = sys_seconds(seconds(kNow - 2));
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 2}), kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "not done: the rule no longer matches");
  ASSERT_EQ(clock_.slept.size(), 1U);
  EXPECT_GE(clock_.slept[0], seconds(13) - milliseconds(500));
  EXPECT_LT(clock_.slept[0], seconds(15));
}

TEST_F(HandleJobTest, A1_TheWaitRestsOnDescribeWhereTheEventHasNoCreationTime) {
  event_.creation_time.reset();
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 2}), kNoTags);  // too young to count
  look(describe({.created = kNow - 2}), kNoTags);  // after the wait
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTagRule))), "stopped");
  EXPECT_EQ(clock_.slept.size(), 1U);
}

TEST_F(HandleJobTest, A1_WithoutTimeToWaitNothingIsDoneAndTheEventComesAgain) {
  event_.creation_time = sys_seconds(seconds(kNow - 2));
  left_ = milliseconds(10'000);
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "failed");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kDeadline);
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(HandleJobTest, A1_AMatchWithoutAbsentTagsDoesNotWait) {
  event_.creation_time = sys_seconds(seconds(kNow - 1));
  const Job job{.type = "ml.p5.48xlarge", .created = kNow - 1};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTypeRule))), "stopped");
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(HandleJobTest, A1_WithoutAMessageTheReasonNamesTheFacts) {
  const Job job{.type = "ml.p5.48xlarge"};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search()
      .expect("job.ResourceConfig.InstanceType=ml.p5.48xlarge", 200)
      .expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTypeRule))), "stopped");
}

TEST_F(HandleJobTest, A1_FailingTagsDoNotPreventTheStop) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 400,
                         R"({"__type":"ResourceLimitExceeded","message":"50 tags"})");
  transport_.expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_NE(record.decisions[0].actions[0].note.find("50 tags"), std::string::npos);
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, A1_AJobThatIsStoppingOrEndedIsSuccess) {
  const char* rule =
      R"({"name":"r","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  for (const char* status : {"Stopping", "Stopped", "Completed", "Failed", "Deleting"}) {
    transport_.expect("SageMaker.ListTags", 200, kNoTags);
    look(describe({.status = status, .secondary = status}), kNoTags);
    const Record record = handle(policy(rule));
    EXPECT_EQ(result(record), fmt::format("already {}", status));
    EXPECT_FALSE(record.failure());
  }
}

TEST_F(HandleJobTest, A1_AJobThatEndsBetweenLookAndStopIsSuccess) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 200);
  transport_.expect(
      "SageMaker.StopTrainingJob", 400,
      R"({"__type":"ValidationException","message":"The request was rejected because the )"
      R"(training job is in status Stopped."})");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "already stopping or ended");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, A1_AStopThatFailsMakesTheInvocationFail) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search()
      .expect("SageMaker.AddTags", 200)
      .expect("SageMaker.StopTrainingJob", 400, kDenied);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "failed");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_NE(record.failure()->message.find("required-tags"), std::string::npos);
}

TEST_F(HandleJobTest, A1_TheSecondLookRestsOnNothingTheEventSaid) {
  // The event is late: the job has completed since.
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.status = "Completed", .secondary = "Completed"}), kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule))), "not done: the rule no longer matches");
}

TEST_F(HandleJobTest, F1_UnavailableTagsAreNotAbsentTags) {
  transport_.expect("SageMaker.ListTags", 400, kDenied);
  const Record record = handle(policy(kTagRule));
  EXPECT_TRUE(record.decisions.empty());
  ASSERT_EQ(record.skipped.size(), 1U);
  EXPECT_EQ(record.skipped[0].rule, "required-tags");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
}

TEST_F(HandleJobTest, F1_TagsUnavailableAtTheSecondLookStopNothing) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.ListTags", 500, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "failed");
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
}

TEST_F(HandleJobTest, F1_WhatOtherRulesDecidedIsCarriedOut) {
  const Job job{.type = "ml.p5.48xlarge"};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.ListTags", 400, kDenied);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(kTagRule) + "," + kTypeRule));
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(record.decisions[0].decision.rule, "no-p5");
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F1_AJobThatIsNotFoundIsGone) {
  transport_.expect(
      "SageMaker.DescribeTrainingJob", 400,
      R"({"__type":"ValidationException","message":"Requested resource not found."})");
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.conclusion, "gone");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutStatusesIsUnavailable) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{}");
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F5_AnEventOfADeletedNamesakeIsDropped) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200,
                    describe({.type = "ml.p5.48xlarge", .created = kNow - 10}));
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.conclusion, "namesake");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F5_ANamesakeIsNoticedAtTheSecondLookToo) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 20}), kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule))), "not done: the name belongs to a later job");
}

TEST_F(HandleJobTest, F6_UnknownSourcesAreAskedTogether) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.ListTags", 200, kTagged);
  handle(policy(std::string(kTagRule) + "," + kTypeRule));
  EXPECT_EQ(transport_.batches, (std::vector<std::size_t>{2}));
}

TEST_F(HandleJobTest, TagsAreAskedForUnderDescribesArn) {
  const std::string other = std::string(kArn) + "-x";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.arn = other}));
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  transport_.expect(other, 200, kTagged);
  const Record record = handle(policy(std::string(kTagRule) + "," + kTypeRule));
  EXPECT_TRUE(record.decisions.empty());
}

TEST_F(HandleJobTest, WithoutAnArnDescribeIsAskedForIt) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect(kArn, 200, kTagged);
  EXPECT_TRUE(handle(policy(kTagRule), rules::Mode::kEnforce, "").decisions.empty());
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kDenied);
  const Record record = handle(policy(kTagRule), rules::Mode::kEnforce, "");
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutTagsIsNotAJobWithoutTags) {
  for (const char* answer : {"", "{}", R"({"Tags":null})"}) {
    transport_.expect("SageMaker.ListTags", 200, answer);
    const Record record = handle(policy(kTagRule));
    EXPECT_TRUE(record.decisions.empty()) << answer;
    EXPECT_TRUE(record.failure()) << answer;
  }
}

TEST_F(HandleJobTest, A1_TagsCountByTheAgeAtWhichTheyWereAskedFor) {
  // A slow Describe: the tags were read at 2 s, the answers are there at 20 s.
  event_.creation_time.reset();
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  transport_.expect("SageMaker.DescribeTrainingJob",
                    [this](const http::Request&) -> Result<http::Response> {
                      clock_.sleep_for(seconds(18));
                      return http::Response{200, {}, describe({.created = kNow - 2})};
                    });
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 2}), kTagged);
  EXPECT_EQ(result(handle(policy(kTagRule))), "not done: the rule no longer matches");
}

TEST_F(HandleJobTest, A1_RefusedTagsAreTriedOnceMoreAsWhatTheLimitCountsBy) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("trainwarden:reason", 400,
                         R"({"__type":"ValidationException","message":"pattern"})");
  transport_.expect(R"([{"Key":"trainwarden:action","Value":"stop"},{"Key":"trainwarden:at",)"
                    R"("Value":"2026-07-02T13:50:13Z"},{"Key":"trainwarden:stopped")",
                    200);
  transport_.expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_NE(record.decisions[0].actions[0].note.find("rule and reason are not in the tags"),
            std::string::npos);
}

TEST_F(HandleJobTest, P3_ObserveDecidesAndActsOnNothing) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "observe"));
  EXPECT_EQ(result(record), "observed");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, P3_TheCeilingHoldsAnEnforcingPolicyBack) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule), rules::Mode::kObserve)), "observed");
}

TEST_F(HandleJobTest, P3_NotifyTellsAndDoesNotStop) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "notify"));
  EXPECT_EQ(result(record), "not done: the mode is notify");
  EXPECT_EQ(result(record, 0, 1), "logged");
}

TEST_F(HandleJobTest, P4_EqualStopsMergeWithinAMode) {
  const char* twin =
      R"({"name":"twin","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(kTagRule) + "," + twin));
  EXPECT_EQ(result(record, 0), "stopped");
  EXPECT_EQ(result(record, 1), "done by rule required-tags");
}

TEST_F(HandleJobTest, P4_AnObservingRuleDoesNotHoldAnEnforcingOneBack) {
  const char* observer =
      R"({"name":"watcher","mode":"observe","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(observer) + "," + kTagRule));
  EXPECT_EQ(result(record, 0), "observed");
  EXPECT_EQ(result(record, 1), "stopped");
}

class StopLimitP7 : public HandleJobTest {
 protected:
  std::string stop_with(const std::string& results) {
    const Job job{.type = "ml.p5.48xlarge"};
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
    auto limited = rules::parse_policy(
        std::string(R"({"version":1,"mode":"enforce","limits":{"stops_per_hour":2},"rules":[)") +
        kTypeRule + "]}");
    expect_search(results);
    const Record record = handle(*limited);
    failed_ = record.failure().has_value();
    return result(record);
  }
  bool failed_ = false;
};

TEST_F(StopLimitP7, AStopBeyondTheHoursLimitIsHeldBackAndSaysSo) {
  const std::string two =
      "[" + stopped_job("a", kNow - 10) + "," + stopped_job("b", kNow - 3500) + "]";
  EXPECT_EQ(stop_with(two),
            "held back: limits.stops_per_hour is 2, and 2 jobs were stopped within the last hour");
  EXPECT_FALSE(failed_);
}

TEST_F(StopLimitP7, OlderStopsAndThisJobsOwnDoNotCount) {
  const std::string lately = "[" + stopped_job("a", kNow - 10) + "," +
                             stopped_job("b", kNow - 3700) + "," + stopped_job("job-1", kNow - 5) +
                             ",{},{\"TrainingJob\":{\"Tags\":null}}]";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.type = "ml.p5.48xlarge"}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.type = "ml.p5.48xlarge"}));
  expect_search(lately)
      .expect("SageMaker.AddTags", 200)
      .expect("SageMaker.StopTrainingJob", 200, "");
  auto limited = rules::parse_policy(
      std::string(R"({"version":1,"mode":"enforce","limits":{"stops_per_hour":2},"rules":[)") +
      kTypeRule + "]}");
  EXPECT_EQ(result(handle(*limited)), "stopped");
}

TEST_F(StopLimitP7, AnAnswerWithoutResultsIsNoCount) {
  const Job job{.type = "ml.p5.48xlarge"};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.Search", 200, "");
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(result(record), "failed");
  EXPECT_TRUE(record.failure());
}

TEST_F(StopLimitP7, ACountThatCannotBeHadStopsNothing) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.type = "ml.p5.48xlarge"}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.type = "ml.p5.48xlarge"}));
  transport_.expect("SageMaker.Search", 400, kDenied);
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(result(record), "failed");
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, R1_TheRecordTellsWhatAndWhy) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "observe"));
  const json::Document document = record.to_json();
  const json::Value root = document.root();
  EXPECT_EQ(root.find("trigger")->as_string(), "state");
  EXPECT_EQ(root.find("job")->as_string(), "job-1");
  EXPECT_EQ(root.find("state")->as_string(), "InProgress/Starting");
  EXPECT_EQ(root.find("policy")->as_string().size(), 16U);
  const json::Value decision = *root.find("decisions")->elements().begin();
  EXPECT_EQ(decision.find("rule")->as_string(), "required-tags");
  EXPECT_EQ(decision.find("mode")->as_string(), "observe");
  bool absent_tag = false;
  bool status = false;
  for (const json::Value because : decision.find("because")->elements()) {
    const auto path = because.find("path")->as_string();
    if (path == "tags.model_name") absent_tag = because.find("absent")->as_boolean();
    if (path == "job.TrainingJobStatus")
      status = because.find("value")->as_string() == "InProgress";
  }
  EXPECT_TRUE(absent_tag);
  EXPECT_TRUE(status);
}

TEST_F(HandleJobTest, R1_OfAFailureReasonOnlyThePathIsTold) {
  // A FailureReason can quote the command line.
  const char* rule =
      R"({"name":"r","match":{"job":{"FailureReason":[{"prefix":"Algo"}]}},"actions":["notify"]})";
  std::string failed = describe({.status = "Failed", .secondary = "Failed"});
  failed.replace(1, 0, R"("FailureReason":"AlgorithmError: train.py --key hunter2",)");
  transport_.expect("SageMaker.DescribeTrainingJob", 200, failed);
  const Record record = handle(policy(rule));
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
}

TEST_F(HandleJobTest, R1_OfHyperparametersOnlyThePathIsTold) {
  const char* rule =
      R"({"name":"r","match":{"job":{"HyperParameters":{"password":["hunter2"]}}},"actions":["stop"]})";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  expect_search()
      .expect("job.HyperParameters.password", 200)
      .expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(rule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
  EXPECT_EQ(transport_.sent.at(3).body.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::actions
