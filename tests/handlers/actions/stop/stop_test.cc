// The action stop (A1), its tags, its limit (P7), and what makes it wait or refrain.
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions {
namespace {

class StopTest : public ActionTest {
 protected:
  // The job's owner tags it after it was looked at for the first time.
  void tag_arrives_late(int looks = 1) {
    aws_.before("ListTags", [this] { aws_.tag_job("job-1", "model_name", "mnist"); }, looks + 1);
  }
};

TEST_F(StopTest, A1_AViolationIsTaggedAndStopped) {
  aws_.place({});
  // Its owner finds the reason as soon as the job stops.
  aws_.before("StopTrainingJob",
              [&] { EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "stop"); });
  const Record record = handle(kModelName);
  EXPECT_EQ(kind(record), Kind::kStopped);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:rule"), "required-tags");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:reason"), "Training jobs need the tag model_name.");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:at"), "2026-07-02T13:50:13Z");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:stopped"), "2026-07-02T13:50:13Z");
}

TEST_F(StopTest, A1_WithoutAMessageTheReasonNamesTheFacts) {
  aws_.place(kP5);
  handle(kNoP5);
  EXPECT_NE(aws_.tag("job-1", "trainwarden:reason")
                .find("job.ResourceConfig.InstanceType=ml.p5.48xlarge"),
            std::string::npos);
}

TEST_F(StopTest, A1_ACompliantJobIsLeftAlone) {
  aws_.place({.tags = {{"model_name", "mnist"}}});
  const Record record = handle(kModelName);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, A1_ATagThatArrivedMeanwhileSavesTheJob) {
  aws_.place({});
  tag_arrives_late();
  const Record record = handle(kModelName);
  EXPECT_TRUE(because(record, Why::kNoLongerMatches));
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, A1_AnAbsentTagCountsOnlyFromFifteenSecondsOn) {
  for (const bool told : {true, false}) {  // the event need not have the time of creation
    aws_.place({.age = seconds(2)});
    rules::JobEvent young = event();
    if (!told) young.creation_time.reset();
    clock_.slept.clear();
    aws_.before("StopTrainingJob", [&] {
      EXPECT_GE(clock_.now() - aws_.find("job-1")->machine.state().created, seconds(15));
    });
    EXPECT_EQ(kind(handle(policy(kModelName), young)), Kind::kStopped);
    EXPECT_EQ(aws_.status("job-1"), "Stopping");
    ASSERT_EQ(clock_.slept.size(), 1U);
    EXPECT_LT(clock_.slept[0], seconds(15));
  }
}

TEST_F(StopTest, A1_ATagThatArrivesWithinFifteenSecondsSavesTheJob) {
  aws_.place({.age = seconds(2)});
  tag_arrives_late();
  EXPECT_TRUE(because(handle(kModelName), Why::kNoLongerMatches));
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(StopTest, A1_TagsCountByTheAgeAtWhichTheyWereAskedFor) {
  // A slow Describe: the tags were read at 2 s, the answers are there at 20 s.
  aws_.place({.age = seconds(2)});
  aws_.slow("DescribeTrainingJob", seconds(18));
  tag_arrives_late(2);
  rules::JobEvent young = event();
  young.creation_time.reset();
  EXPECT_TRUE(because(handle(policy(kModelName), young), Why::kNoLongerMatches));
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(StopTest, A1_WithoutTimeToWaitNothingIsDoneAndTheEventComesAgain) {
  aws_.place({.age = seconds(2)});
  left_ = seconds(10);
  const Record record = handle(kModelName);
  EXPECT_EQ(kind(record), Kind::kFailed);
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kDeadline);
  EXPECT_TRUE(clock_.slept.empty());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, A1_AMatchWithoutAbsentTagsDoesNotWait) {
  aws_.place({.type = "ml.p5.48xlarge", .age = seconds(1)});
  EXPECT_EQ(kind(handle(kNoP5)), Kind::kStopped);
  EXPECT_TRUE(clock_.slept.empty());
}

TEST_F(StopTest, A1_FailingTagsDoNotPreventTheStop) {
  aws_.place({.tags = full_of_tags()});
  const Record record = handle(kModelName);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_NE(outcome(record).note.find("must not exceed 50"), std::string::npos);
  EXPECT_FALSE(record.failure());
}

// P7 counts by them, and P4 rests on them.
TEST_F(StopTest, A1_OfRefusedTagsActionAndTimesAreTriedOnceMore) {
  aws_.place({});
  aws_.refuse("AddTags", {400, "ValidationException", "pattern"});
  const Record record = handle(kModelName);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_FALSE(outcome(record).note.empty());
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "stop");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:at"), "2026-07-02T13:50:13Z");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:stopped"), "2026-07-02T13:50:13Z");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:reason"), "");
}

TEST_F(StopTest, A1_AJobThatIsStoppingOrEndedIsSuccess) {
  const char* rule =
      R"({"name":"r","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  for (const char* status : {"Stopping", "Stopped", "Completed", "Failed", "Deleting"}) {
    aws_.place({});
    const rules::JobEvent late = event();
    aws_.place({.status = status, .secondary = status});
    const Record record = handle(policy(rule), late);
    EXPECT_EQ(kind(record), Kind::kEndedBefore) << status;
    EXPECT_EQ(outcome(record).result.name, status);
    EXPECT_FALSE(record.failure());
  }
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, A1_AJobThatEndsBetweenLookAndStopIsSuccess) {
  aws_.place({});
  aws_.before("StopTrainingJob", [&] { aws_.enter("job-1", "Completed"); });
  const Record record = handle(kModelName);
  EXPECT_EQ(kind(record), Kind::kEndedBefore);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "Completed");
}

TEST_F(StopTest, A1_AStopThatFailsMakesTheInvocationFailAndIsMadeUpFor) {
  aws_.place({});
  aws_.refuse("StopTrainingJob", kDenied);
  const Record record = handle(kModelName);
  EXPECT_EQ(kind(record), Kind::kFailed);
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_NE(record.failure()->message.find("required-tags"), std::string::npos);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_FALSE(handle(kModelName).failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(StopTest, A1_AnEventThatComesTwiceLeadsToTheSameEnd) {
  aws_.place({});
  const rules::JobEvent twice = event();
  handle(policy(kModelName), twice);
  aws_.pass(minutes(2));
  EXPECT_FALSE(handle(policy(kModelName), twice).failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopped");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:at"), "2026-07-02T13:50:13Z");
  EXPECT_EQ(aws_.count("StopTrainingJob"), 1);
}

TEST_F(StopTest, A1_TheSecondLookRestsOnNothingTheEventSaid) {
  aws_.place({});
  const rules::JobEvent late = event();
  aws_.enter("job-1", "Completed");
  EXPECT_TRUE(because(handle(policy(kModelName), late), Why::kNoLongerMatches));
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, P4_EqualStopsMergeWithinAMode) {
  const char* twin =
      R"({"name":"twin","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  aws_.place({});
  const Record record = handle(std::string(kModelName) + "," + twin);
  EXPECT_EQ(kind(record, 0), Kind::kStopped);
  EXPECT_EQ(kind(record, 1), Kind::kStoppedByRule);
  EXPECT_EQ(outcome(record, 1).result.name, "required-tags");
  EXPECT_EQ(aws_.count("StopTrainingJob"), 1);
}

class StopLimitP7 : public ActionTest {
 protected:
  // Another job that a rule stopped so long ago.
  void stopped(const std::string& name, seconds since) {
    aws_.place({.name = name,
                .status = "Stopped",
                .secondary = "Stopped",
                .since = seconds(0),
                .tags = {{"trainwarden:action", "stop"}, {"trainwarden:at", ago(since)}}});
  }
  Record handle_limited() {
    return handle(policy(kNoP5, "enforce", R"("limits":{"stops_per_hour":2},)"));
  }
};

TEST_F(StopLimitP7, AStopBeyondTheHoursLimitIsHeldBackAndSaysSo) {
  stopped("a", seconds(10));
  stopped("b", seconds(3500));
  aws_.place(kP5);
  const Record record = handle_limited();
  EXPECT_EQ(kind(record), Kind::kHeldBack);
  ASSERT_TRUE(because(record, Why::kStopsPerHour));
  EXPECT_EQ(outcome(record).result.reason->number, 2);
  EXPECT_EQ(outcome(record).result.reason->limit, 2);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "");
}

TEST_F(StopLimitP7, OlderStopsThisJobsOwnAndJobsWithoutATimeDoNotCount) {
  stopped("a", seconds(10));
  stopped("b", seconds(3700));
  aws_.place({.name = "c", .since = seconds(0), .tags = {{"trainwarden:action", "stop"}}});
  aws_.place({.type = "ml.p5.48xlarge",
              .since = seconds(0),
              .tags = {{"trainwarden:action", "stop"}, {"trainwarden:at", ago(seconds(5))}}});
  EXPECT_EQ(kind(handle_limited()), Kind::kStopped);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(StopLimitP7, WithoutACountNothingIsStopped) {
  aws_.place(kP5);
  aws_.answer_with("Search", "");
  aws_.spare("Search");
  aws_.refuse("Search", kDenied);
  for (const char* of : {"an answer without results", "a refusal"}) {
    const Record record = handle_limited();
    EXPECT_EQ(kind(record), Kind::kFailed) << of;
    EXPECT_TRUE(record.failure()) << of;
  }
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "");
}

}  // namespace
}  // namespace trainwarden::actions
