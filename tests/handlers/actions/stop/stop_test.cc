// The action stop (A1), its tags, its limit (P7), and what makes it wait or refrain.
#include "tests/handlers/actions/handle/handle_job_fixture.h"

namespace trainwarden::actions::handle_job_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StopTest : public HandleJobTest {};

TEST_F(StopTest, A1_AViolationIsLookedAtTaggedAndStopped) {
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

TEST_F(StopTest, A1_ACompliantJobIsLeftAlone) {
  transport_.expect("SageMaker.ListTags", 200, kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(StopTest, A1_ATagThatArrivedMeanwhileSavesTheJob) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "not done: the rule no longer matches");
  EXPECT_FALSE(record.failure());
}

TEST_F(StopTest, A1_AnAbsentTagCountsOnlyFromFifteenSecondsOn) {
  event_.creation_time = sys_seconds(seconds(kNow - 2));
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 2}), kTagged);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "not done: the rule no longer matches");
  ASSERT_EQ(clock_.slept.size(), 1U);
  EXPECT_GE(clock_.slept[0], seconds(13) - milliseconds(500));
  EXPECT_LT(clock_.slept[0], seconds(15));
}

TEST_F(StopTest, A1_TheWaitRestsOnDescribeWhereTheEventHasNoCreationTime) {
  event_.creation_time.reset();
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 2}), kNoTags);  // too young to count
  look(describe({.created = kNow - 2}), kNoTags);  // after the wait
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTagRule))), "stopped");
  EXPECT_EQ(clock_.slept.size(), 1U);
}

TEST_F(StopTest, A1_WithoutTimeToWaitNothingIsDoneAndTheEventComesAgain) {
  event_.creation_time = sys_seconds(seconds(kNow - 2));
  left_ = milliseconds(10'000);
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "failed");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kDeadline);
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(StopTest, A1_AMatchWithoutAbsentTagsDoesNotWait) {
  event_.creation_time = sys_seconds(seconds(kNow - 1));
  const Job job{.type = "ml.p5.48xlarge", .created = kNow - 1};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTypeRule))), "stopped");
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(StopTest, A1_WithoutAMessageTheReasonNamesTheFacts) {
  const Job job{.type = "ml.p5.48xlarge"};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search()
      .expect("job.ResourceConfig.InstanceType=ml.p5.48xlarge", 200)
      .expect("SageMaker.StopTrainingJob", 200, "");
  EXPECT_EQ(result(handle(policy(kTypeRule))), "stopped");
}

TEST_F(StopTest, A1_FailingTagsDoNotPreventTheStop) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 400,
                         R"({"__type":"ResourceLimitExceeded","message":"50 tags"})");
  // Once more with what P7 counts by and what P4 rests on.
  transport_.expect("trainwarden:stopped", 400,
                    R"({"__type":"ResourceLimitExceeded","message":"50 tags"})");
  transport_.expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_NE(record.decisions[0].actions[0].note.find("50 tags"), std::string::npos);
  EXPECT_FALSE(record.failure());
}

TEST_F(StopTest, A1_AJobThatIsStoppingOrEndedIsSuccess) {
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

TEST_F(StopTest, A1_AJobThatEndsBetweenLookAndStopIsSuccess) {
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

TEST_F(StopTest, A1_AStopThatFailsMakesTheInvocationFail) {
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

TEST_F(StopTest, A1_TheSecondLookRestsOnNothingTheEventSaid) {
  // The event is late: the job has completed since.
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.status = "Completed", .secondary = "Completed"}), kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule))), "not done: the rule no longer matches");
}

TEST_F(StopTest, A1_TagsCountByTheAgeAtWhichTheyWereAskedFor) {
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

TEST_F(StopTest, A1_RefusedTagsAreTriedOnceMoreAsWhatTheLimitCountsBy) {
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

TEST_F(StopTest, P4_EqualStopsMergeWithinAMode) {
  const char* twin =
      R"({"name":"twin","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(kTagRule) + "," + twin));
  EXPECT_EQ(result(record, 0), "stopped");
  EXPECT_EQ(result(record, 1), "done by rule required-tags");
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

}  // namespace
}  // namespace trainwarden::actions::handle_job_test
