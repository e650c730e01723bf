// Notices (A5): when they are sent, that they are sent once, what happens when a function dies in
// between.
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::notify_test {
namespace {

constexpr const char* kOnlyTells = R"(
  {"name": "look", "match": {"tags": {"model_name": [{"exists": false}]}}, "actions": ["notify"]})";
constexpr const char* kStopsOnly = R"(
  {"name": "stops", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"model_name": [{"exists": false}]}},
   "actions": ["stop"]})";
// Holds for a job that is stopping, too.
constexpr const char* kAnyStatus = R"(
  {"name": "any-status", "match": {"tags": {"model_name": [{"exists": false}]}},
   "actions": ["stop", "notify"]})";

const localaws::AwsError kNotAllowed{403, "AuthorizationError", "not allowed to publish"};

class NotifyTest : public ActionTest {
 protected:
  rules::JobEvent swept() const {
    rules::JobEvent out = event();
    out.trigger = rules::Trigger::kSweep;
    return out;
  }
};

TEST_F(NotifyTest, A5_AStopIsToldOnce) {
  aws_.place({.tags = {{"team", "vision"}}});
  const rules::JobEvent twice = event();
  const Record record = handle(policy(kModelName), twice);
  EXPECT_EQ(kind(record, 0, 0), Kind::kStopped);
  EXPECT_EQ(kind(record, 0, 1), Kind::kNotified);
  EXPECT_FALSE(record.failure());
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(subject(), "Trainwarden stopped job-1 (required-tags)");
  EXPECT_EQ(attribute("rule"), "required-tags");
  EXPECT_EQ(attribute("action"), "stop");
  EXPECT_EQ(attribute("mode"), "enforce");
  EXPECT_EQ(attribute("outcome"), "stopped");
  EXPECT_EQ(attribute("team"), "vision");
  EXPECT_TRUE(told("Training jobs need the tag model_name."));
  EXPECT_FALSE(told("hunter2"));

  aws_.pass(minutes(1));
  handle(policy(kModelName), twice);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

// Of a stop, which is composed before it is done, and of a rule that only tells.
TEST_F(NotifyTest, A8_EveryNoticeOfAJobCarriesItsOwner) {
  const std::string named = R"("notify":{"owner_tag":"CostOwner"},)";
  for (const char* rule : {kModelName, kOnlyTells}) {
    aws_.place({.tags = {{"owner", "jo"}, {"CostOwner", "kim"}}});
    handle(policy(rule, "enforce", named));
    EXPECT_EQ(attribute("owner"), "kim") << rule;
    aws_.pass(minutes(1));
  }
  ASSERT_EQ(aws_.notices().size(), 2U);
  aws_.pass(minutes(1));
  aws_.place({.tags = {{"owner", "jo"}}});
  handle(kOnlyTells);
  EXPECT_EQ(attribute("owner"), "jo");
  aws_.pass(minutes(1));
  aws_.place({});
  handle(kOnlyTells);
  EXPECT_EQ(attribute("owner"), "");
}

TEST_F(NotifyTest, A5_WithoutATopicANoticeIsOnlyLogged) {
  config_.notify_topic.clear();
  aws_.place({});
  EXPECT_EQ(kind(handle(kOnlyTells)), Kind::kLogged);
  EXPECT_EQ(aws_.count("Publish"), 0);
}

TEST_F(NotifyTest, A5_TheActionsOwnTopicCounts) {
  ASSERT_TRUE(aws_.call("CreateTopic", R"({"Name":"vision"})"));
  aws_.place({});
  handle(R"({"name":"look","match":{"tags":{"model_name":[{"exists":false}]}},)"
         R"("actions":[{"notify":{"topic":"arn:aws:sns:eu-central-1:111122223333:vision"}}]})");
  EXPECT_EQ(aws_.notices("arn:aws:sns:eu-central-1:111122223333:vision").size(), 1U);
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, A5_OncePerRule) {
  aws_.place({});
  EXPECT_EQ(kind(handle(kOnlyTells)), Kind::kNotified);
  EXPECT_EQ(kind(handle(kOnlyTells)), Kind::kNotifiedBefore);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

// Whoever owns the job can write that tag.
TEST_F(NotifyTest, A5_AnotherGenerationByATagIsNotToldOfAnew) {
  aws_.place({});
  handle(kOnlyTells);
  aws_.tag_job("job-1", "trainwarden:generation", "1");
  EXPECT_EQ(kind(handle(kOnlyTells)), Kind::kNotifiedBefore);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(NotifyTest, A5_AJobThatIsCreatedWithATagOfOursIsToldOfAllTheSame) {
  aws_.place({});
  handle(kOnlyTells);
  aws_.place({.name = "job-2", .tags = {{"trainwarden:told", "0badc0de"}}});
  EXPECT_EQ(kind(handle(policy(kOnlyTells), event("job-2"))), Kind::kNotified);
  EXPECT_EQ(aws_.notices().size(), 2U);
}

TEST_F(NotifyTest, P4_EachRuleTellsForItself) {
  const std::string both =
      R"({"name":"first","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["notify"]},)" +
      std::string(kOnlyTells);
  aws_.place({});
  for (int i = 0; i < 2; ++i) handle(both);
  EXPECT_EQ(aws_.notices().size(), 2U);
  EXPECT_EQ(attribute("rule"), "look");
}

TEST_F(NotifyTest, P3_NotifyModeTellsThatNothingWasDoneAndLaterOfTheStop) {
  aws_.place({});
  handle(kModelName, "notify");
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(attribute("outcome"), "none");
  EXPECT_TRUE(told("Nothing was stopped"));

  handle(kModelName);
  EXPECT_EQ(aws_.notices().size(), 2U);
  EXPECT_EQ(attribute("outcome"), "stopped");
}

TEST_F(NotifyTest, P3_ObserveTellsNobody) {
  aws_.place({});
  EXPECT_EQ(kind(handle(kModelName, "observe"), 0, 1), Kind::kObserved);
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, A5_NobodyIsToldOfATagThatIsOnlyLate) {
  for (const seconds age : {seconds(2), seconds(60)}) {  // of a young job it is waited for
    aws_.place({.age = age});
    clock_.slept.clear();
    aws_.before("ListTags", [&] { aws_.tag_job("job-1", "model_name", "mnist"); }, 2);
    const Record record = handle(kOnlyTells);
    EXPECT_EQ(kind(record), Kind::kNotNotified);
    EXPECT_TRUE(because(record, Why::kNoLongerMatches));
    EXPECT_EQ(clock_.slept.size(), age < seconds(15) ? 1U : 0U);
  }
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, P7_OfAStopThatIsHeldBackOperatorsHearAndNotJobByJob) {
  for (const char* job : {"job-1", "job-2"}) {
    aws_.place({.name = job});
    const Record record =
        handle(policy(kModelName, "enforce", R"("limits":{"stops_per_hour":0},)"), event(job));
    EXPECT_TRUE(because(record, Why::kOperatorsAreTold, 0, 1));
  }
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(attribute("outcome"), "held-back");
  EXPECT_EQ(attribute("rule"), "");
}

// Of the second rule the job, which is stopping, is no longer what it is about.
TEST_F(NotifyTest, A5_WhatCouldNotBePublishedIsToldWhenTheEventComesAgain) {
  for (const char* rule : {kAnyStatus, kNoP5}) {
    testing::PlacedJob job = kP5;
    job.tags = {{"team", "vision"}};
    aws_.place(job);
    const rules::JobEvent twice = event();
    aws_.refuse("Publish", kNotAllowed);
    const Record first = handle(policy(rule), twice);
    EXPECT_EQ(kind(first, 0, 0), Kind::kStopped);
    EXPECT_EQ(kind(first, 0, 1), Kind::kFailed);
    EXPECT_TRUE(first.failure());
    const std::size_t before = aws_.notices().size();

    aws_.pass(minutes(1));
    EXPECT_FALSE(handle(policy(rule), twice).failure());
    EXPECT_EQ(aws_.notices().size(), before + 1);
    EXPECT_EQ(attribute("outcome"), "stopped");
    EXPECT_EQ(attribute("team"), "vision");
    handle(policy(rule), twice);
    EXPECT_EQ(aws_.notices().size(), before + 1);
  }
  EXPECT_EQ(aws_.count("StopTrainingJob"), 2);
}

TEST_F(NotifyTest, A5_NothingIsOwedToAJobThatAPersonStopped) {
  aws_.place(kP5);
  const rules::JobEvent late = event();
  aws_.enter("job-1", "Stopping");
  EXPECT_TRUE(handle(policy(kNoP5), late).decisions.empty());
  EXPECT_TRUE(aws_.notices().empty());
}

// The function died after the stop; by then the rule no longer matches.
TEST_F(NotifyTest, A5_AStopIsToldWithItsReasonAfterADeath) {
  for (const bool by_sweep : {false, true}) {
    aws_.place(kP5);
    const rules::JobEvent twice = event();
    const std::size_t before = aws_.notices().size();
    // After the brake's and the stop's own items: the one that notes the answer.
    aws_.before("PutItem", [] { throw testing::Killed{}; }, 3);
    EXPECT_THROW(handle(policy(kNoP5), twice), testing::Killed);
    EXPECT_EQ(aws_.status("job-1"), "Stopping");
    EXPECT_EQ(aws_.notices().size(), before);
    aws_.pass(minutes(3));
    request_ = "another";
    rules::JobEvent next = twice;
    if (by_sweep) next.trigger = rules::Trigger::kSweep;
    handle(policy(kNoP5), next);
    ASSERT_EQ(aws_.notices().size(), before + 1);
    EXPECT_EQ(subject(), "Trainwarden stopped job-1 (no-p5)");
    EXPECT_TRUE(told("ml.p5.48xlarge"));
    handle(policy(kNoP5), next);
    EXPECT_EQ(aws_.notices().size(), before + 1);
  }
}

// Its owner wrote the tags of a stop, and stopped it.
TEST_F(NotifyTest, A5_TagsOfAStopDoNotMakeAPersonsStopOurs) {
  aws_.place({.status = "Stopping",
              .secondary = "Stopping",
              .since = minutes(1),
              .tags = acted("any-status", minutes(1))});
  handle(kAnyStatus);
  EXPECT_NE(attribute("outcome"), "stopped");
}

TEST_F(NotifyTest, A5_AnEventThatKnowsOfTheStopCostsNoCall) {
  aws_.place({.status = "Stopping", .secondary = "Stopping"});
  EXPECT_TRUE(handle(kNoP5).decisions.empty());
  EXPECT_TRUE(aws_.calls.empty());
}

// Whether anything is owed stands in the item, which the stop has read and written.
TEST_F(NotifyTest, A5_AStopThatOwesNothingCostsNoFurtherLook) {
  aws_.place({});
  EXPECT_EQ(kind(handle(kStopsOnly)), Kind::kStopped);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 1);  // the look before it
  aws_.place({});
  EXPECT_EQ(kind(handle(kModelName), 0, 1), Kind::kNotified);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 1 + 2);  // and that of the notice
}

TEST_F(NotifyTest, A5_AStopTellsWhatAnotherDeliveryOwed) {
  aws_.place({});
  const rules::JobEvent twice = event();
  aws_.before("Publish", [] { throw testing::Killed{}; });
  EXPECT_THROW(handle(policy(kOnlyTells), twice), testing::Killed);
  EXPECT_TRUE(aws_.notices().empty());
  aws_.pass(minutes(3));
  request_ = "another";
  const auto before = aws_.count("DescribeTrainingJob");
  const Record stopped = handle(policy(kStopsOnly), twice);
  EXPECT_EQ(kind(stopped), Kind::kStopped);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), before + 2);
  ASSERT_EQ(stopped.pending_notices.size(), 1U);
  EXPECT_EQ(stopped.pending_notices[0].rule, "look");
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(NotifyTest, A5_AnotherDeliverysClaimIsWaitedFor) {
  aws_.place({});
  aws_.refuse("Publish", kNotAllowed);
  EXPECT_TRUE(handle(kOnlyTells).failure());
  request_ = "another";
  const Record early = handle(kOnlyTells);  // the first may be about to tell
  EXPECT_EQ(kind(early), Kind::kFailed);
  EXPECT_TRUE(early.failure());
  EXPECT_TRUE(aws_.notices().empty());
  aws_.pass(minutes(2));
  EXPECT_EQ(kind(handle(kOnlyTells)), Kind::kNotified);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(NotifyTest, A5_AJobThatTakesNoTagsIsToldOfOnce) {
  aws_.place({.tags = full_of_tags()});
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(handle(kOnlyTells).failure());
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(NotifyTest, A5_NothingIsToldThatWasNotClaimed) {
  aws_.place({});
  aws_.refuse("PutItem", kDenied);
  const Record record = handle(kOnlyTells);
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kStateUnavailable);
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, F1_TagsThatCannotBeReadDoNotMeanThatNothingWasTold) {
  aws_.place(kP5);
  aws_.refuse("ListTags", kDenied);
  const Record record = handle(kNoP5);
  EXPECT_EQ(kind(record, 0, 0), Kind::kStopped);
  EXPECT_EQ(kind(record, 0, 1), Kind::kFailed);
  EXPECT_TRUE(record.failure());
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, A5_AStopThatMayPassIsNotToldAsAFailure) {
  aws_.place(kP5);
  aws_.refuse("StopTrainingJob", testing::kFault);
  const Record record = handle(kNoP5);
  EXPECT_TRUE(because(record, Why::kComesAgain, 0, 1));
  EXPECT_TRUE(record.failure());
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(NotifyTest, A5_AStopThatIsRefusedForGoodIsTold) {
  aws_.place(kP5);
  aws_.refuse("StopTrainingJob", kDenied);
  handle(kNoP5);
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(told("could not stop"));
}

TEST_F(NotifyTest, A5_WhatASweepCannotPublishTheNextOneTells) {
  aws_.place({});
  aws_.refuse("Publish", kNotAllowed);
  EXPECT_TRUE(handle(policy(kOnlyTells), swept()).failure());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(handle(policy(kOnlyTells), swept()).failure());
  EXPECT_EQ(aws_.notices().size(), 1U);
}

}  // namespace
}  // namespace trainwarden::actions::notify_test
