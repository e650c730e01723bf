// The action stop (A1), its tags, its limit (P7), and what makes it wait or refrain.
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::stop_test {
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

constexpr const char* kAll =
    R"({"name": "all", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["stop", "notify"]})";
constexpr const char* kUnlessMnist = R"("unless": {"tags": {"model_name": ["mnist"]}},)";

// Issue 41, 3: what exempts a job from every rule arrives between the decision and the look.
TEST_F(StopTest, P4_WhatThePolicyExemptsAtTheLookIsNotStopped) {
  aws_.place({});
  tag_arrives_late();
  const Record record = handle(policy(kAll, "enforce", kUnlessMnist));
  EXPECT_TRUE(because(record, Why::kExempted));
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(StopTest, P4_AnExemptJobIsLeftAloneAndTheRecordSaysWhy) {
  aws_.place({.tags = {{"model_name", "mnist"}}});
  const Record record = handle(policy(kAll, "enforce", kUnlessMnist));
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_EQ(record.exempted, std::vector<std::string>{"all"});
  ASSERT_EQ(record.exempted_because.size(), 1U);
  EXPECT_EQ(record.exempted_because[0].path(), "tags.model_name");
  EXPECT_NE(
      record.to_text().find(R"("exempted":{"rules":["all"],"because":[{"path":"tags.model_name")"),
      std::string::npos)
      << record.to_text();
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

TEST_F(StopTest, A1_OfRefusedTagsActionAndTimeAreTriedOnceMore) {
  aws_.place({});
  aws_.refuse("AddTags", {400, "ValidationException", "pattern"});
  const Record record = handle(kModelName);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_FALSE(outcome(record).note.empty());
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "stop");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:at"), "2026-07-02T13:50:13Z");
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

// Seconds after the first attempt, the second and so on.
TEST_F(StopTest, A1_Issue39_5_AStopThatIsDeniedIsTriedAgainLaterAndLaterAndToldOnce) {
  aws_.place({});
  aws_.refuse("StopTrainingJob", kDenied, 5);
  int attempts = 0;
  for (const seconds after : {seconds(0), seconds(300), seconds(1800), seconds(14'400)}) {
    if (attempts > 0) {
      aws_.pass(after - seconds(1));
      const Record early = handle(kModelName);
      EXPECT_TRUE(because(early, Why::kStopDeniedToday));
      EXPECT_FALSE(early.failure());
      aws_.pass(seconds(1));
    }
    const Record record = handle(kModelName);
    EXPECT_EQ(kind(record), Kind::kFailed);
    ASSERT_TRUE(record.failure());
    EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
    EXPECT_NE(record.failure()->message.find("required-tags"), std::string::npos);
    EXPECT_EQ(aws_.status("job-1"), "InProgress");
    EXPECT_EQ(aws_.count("StopTrainingJob"), ++attempts);
  }
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(attribute("outcome"), "failed");
}

// No word on rights: the event comes again, and stops the job.
TEST_F(StopTest, A1_Issue39_5_CredentialsAndClocksSpareNobody) {
  for (const char* code :
       {"ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException",
        "InvalidClientTokenId", "InvalidSignatureException", "SignatureDoesNotMatch",
        "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture", "IncompleteSignature",
        "MissingAuthenticationToken", "InvalidAccessKeyId", "AuthFailure", "HTTP 403"}) {
    SCOPED_TRACE(code);
    aws_.place({});
    aws_.refuse("StopTrainingJob", {403, code, "the security token is expired"});
    const Record record = handle(kModelName);
    ASSERT_TRUE(record.failure());
    EXPECT_EQ(record.failure()->code, ErrorCode::kUnauthenticated);
    EXPECT_EQ(aws_.status("job-1"), "InProgress");
    aws_.pass(seconds(60));
    EXPECT_FALSE(handle(kModelName).failure());
    EXPECT_EQ(aws_.status("job-1"), "Stopping");
    aws_.pass(hours(2));
  }
}

TEST_F(StopTest, A1_AStopThatIsThrottledMakesTheInvocationFailAndIsMadeUpFor) {
  aws_.place({});
  aws_.refuse("StopTrainingJob", testing::kThrottled);
  ASSERT_TRUE(handle(kModelName).failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_FALSE(handle(kModelName).failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

// F1: what cannot be remembered is not done.
TEST_F(StopTest, F1_WithoutTheTableNothingIsStopped) {
  for (const char* operation : {"GetItem", "PutItem"}) {
    aws_.place({});
    aws_.refuse(operation, kDenied);
    const Record record = handle(kModelName);
    ASSERT_TRUE(record.failure()) << operation;
    EXPECT_EQ(record.failure()->code, ErrorCode::kStateUnavailable);
    EXPECT_NE(record.failure()->message.find("TRAINWARDEN_TABLE"), std::string::npos);
    EXPECT_EQ(aws_.status("job-1"), "InProgress");
  }
  EXPECT_FALSE(aws_.wrote());
  EXPECT_TRUE(aws_.notices().empty());
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
  Record handle_limited(const std::string& job, int limit = 4) {
    return handle(
        policy(kNoP5, "enforce", fmt::format(R"("limits":{{"stops_per_hour":{}}},)", limit)),
        event(job));
  }
  // Whether the job, which is put there, is stopped.
  bool stops(const std::string& job, int limit = 4) {
    aws_.place({.name = job, .type = "ml.p5.48xlarge"});
    return kind(handle_limited(job, limit)) == Kind::kStopped;
  }
};

// Events take half of it.
TEST_F(StopLimitP7, AStopBeyondTheHoursLimitIsHeldBackAndSaysSo) {
  EXPECT_TRUE(stops("a"));
  aws_.pass(minutes(50));
  EXPECT_TRUE(stops("b"));
  aws_.place(kP5);
  const Record record = handle_limited("job-1");
  EXPECT_EQ(kind(record), Kind::kHeldBack);
  EXPECT_TRUE(because(record, Why::kWaitsItsTurn));
  EXPECT_TRUE(aws_.notices().size() == 2) << "the limit is not reached, and nobody told so";
  const Record none = handle_limited("job-1", 1);
  ASSERT_TRUE(because(none, Why::kStopsPerHour));
  EXPECT_EQ(outcome(none).result.reason->number, 2);
  EXPECT_EQ(outcome(none).result.reason->limit, 1);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "");
  aws_.pass(minutes(11));  // since the first
  EXPECT_EQ(kind(handle_limited("job-1")), Kind::kStopped);
}

// Whoever owns a job can write these, also with a time in the future.
TEST_F(StopLimitP7, TagsThatSpeakOfStopsFillNoSlot) {
  for (const char* at : {"2026-07-02T13:49:00Z", "2099-01-01T00:00:00Z"})
    for (int i = 0; i < 3; ++i)
      aws_.place({.name = fmt::format("forged-{}-{}", i, std::string(at).substr(0, 4)),
                  .status = "Stopped",
                  .secondary = "Stopped",
                  .since = seconds(0),
                  .tags = {{"trainwarden:action", "stop"}, {"trainwarden:at", at}}});
  EXPECT_TRUE(stops("a"));
}

TEST_F(StopLimitP7, JobsThatTakeNoTagsFillSlotsLikeOthers) {
  Tags own = full_of_tags();
  own.pop_back();
  int stopped = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string name = fmt::format("job-{}", i);
    aws_.place({.name = name, .type = "ml.p5.48xlarge", .tags = own});
    if (kind(handle_limited(name)) == Kind::kStopped) ++stopped;
  }
  EXPECT_EQ(stopped, 2);
}

TEST_F(StopLimitP7, ZeroLetsNoneThrough) { EXPECT_FALSE(stops("a", 0)); }

TEST_F(StopLimitP7, TheSameJobTakesOneSlotHoweverOftenItsEventComes) {
  aws_.place(kP5);
  aws_.refuse("StopTrainingJob", testing::kThrottled, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(kind(handle_limited("job-1")), Kind::kFailed);
  EXPECT_EQ(kind(handle_limited("job-1")), Kind::kStopped);
  EXPECT_TRUE(stops("other"));
}

TEST_F(StopLimitP7, OperatorsHearOfWhatIsHeldBackOnceAnHour) {
  for (int i = 0; i < 4; ++i) stops(fmt::format("job-{}", i), 0);
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(subject(), "Trainwarden holds back: limits.stops_per_hour is reached");
  EXPECT_EQ(attribute("outcome"), "held-back");
  EXPECT_EQ(attribute("limit"), "stops_per_hour");
  aws_.pass(minutes(61));
  EXPECT_FALSE(stops("later", 0));
  EXPECT_EQ(aws_.notices().size(), 2U);
}

TEST_F(StopLimitP7, WithoutTheTableNothingIsStopped) {
  aws_.place(kP5);
  aws_.refuse("GetItem", kDenied);
  const Record record = handle_limited("job-1");
  EXPECT_EQ(kind(record), Kind::kFailed);
  EXPECT_TRUE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:action"), "");
}

}  // namespace
}  // namespace trainwarden::actions::stop_test
