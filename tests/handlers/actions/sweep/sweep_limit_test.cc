// limits.stops_per_sweep (P7): what counts, and what a sweep does that holds back.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_limit_test {
namespace {

constexpr const char* kResume = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
   "actions": [{"restart": {"limit": 3}}]})";

// Its rules are enforced since yesterday.
class SweepLimit : public SweepTest {
 protected:
  void SetUp() override {
    run(limited(kResume, 0));
    aws_.pass(hours(24));
    records_.clear();
  }
};

TEST_F(SweepLimit, P7_MoreThanStopsPerSweepStopsNone) {
  for (const char* job : {"a", "b", "c"}) place(job);
  const SweepReport report = run(limited(kTeam, 2));
  EXPECT_NE(report.held_back, 0U);
  EXPECT_EQ(report.would_act, 3U);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(report.examples, (Names{"a", "b", "c"}));
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(aws_.count("AddTags"), 0);
}

TEST_F(SweepLimit, P7_AsManyAsStopsPerSweepAreStopped) {
  for (const char* job : {"a", "b"}) place(job);
  const SweepReport report = run(limited(kTeam, 2));
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(stopping(), 2);
}

// What else was decided about the jobs goes on: tags here, and what another mode's rule says.
TEST_F(SweepLimit, P7_HoldsBackStopsAndNothingElse) {
  constexpr const char* kMore = R"(,
    {"name": "mark", "match": {"job": {"SecondaryStatus": ["Training"]}},
     "actions": [{"tag": {"seen": "yes"}}]},
    {"name": "seen", "mode": "observe", "match": {"job": {"SecondaryStatus": ["Training"]}},
     "actions": ["stop"]},
    {"name": "loud", "match": {"job": {"SecondaryStatus": ["Training"]}},
     "actions": ["stop", "notify"]})";
  for (const char* job : {"a", "b"}) place(job);
  const SweepReport report = run(limited(std::string(kTeam) + kMore, 0));
  EXPECT_NE(report.held_back, 0U);
  EXPECT_EQ(report.would_act, 2U);
  ASSERT_EQ(records_.size(), 2U);
  for (const Record& record : records_) {
    EXPECT_EQ(kind(record, 0), Kind::kHeldBack);
    EXPECT_TRUE(because(record, Why::kStopsPerSweep, 0));
    EXPECT_EQ(kind(record, 1), Kind::kTagged);
    EXPECT_EQ(kind(record, 2), Kind::kObserved);
    EXPECT_EQ(kind(record, 3, 1), Kind::kNotNotified);
    EXPECT_FALSE(record.failure());
    EXPECT_EQ(aws_.tag(record.job, "seen"), "yes");
  }
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(attribute("rule"), "");  // only operators were told, together
}

// Throttled looks must not let stops pass the limit.
TEST_F(SweepLimit, P7_AJobOfWhichNobodyKnowsWhetherItRunsCounts) {
  place("a", kOrderly);
  aws_.refuse("DescribeTrainingJob", testing::kThrottled, 2);
  const SweepReport report = run(limited(
      R"({"name": "always", "match": {"event": {"trigger": ["sweep"]}}, "actions": ["stop"]})", 0));
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_NE(report.held_back, 0U);
}

TEST_F(SweepLimit, P7_WhatIsOnlyObservedDoesNotCount) {
  for (const char* job : {"a", "b"}) place(job);
  ceiling_ = rules::Mode::kObserve;
  const SweepReport report = run(limited(kTeam, 1));
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_EQ(records_.size(), 2U);
  EXPECT_FALSE(report.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(SweepLimit, P7_CopiesCountLikeStops) {
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(1));
  const SweepReport report = run(limited(kResume, 1));
  EXPECT_EQ(report.held_copies, 2U);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_FALSE(run(limited(kResume, 2)).failure());
  EXPECT_EQ(aws_.created().size(), 2U);
}

// P7 counts what would happen: jobs whose restart a guard refuses are not among it.
TEST_F(SweepLimit, P7_ARestartThatAGuardRefusesDoesNotCount) {
  for (const char* job : {"f", "g"})
    place_ended(
        job, "Failed", minutes(1),
        R"(,"TuningJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:hyper-parameter-tuning-job/t")");
  const SweepReport report = run(limited(kResume, 0));
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_EQ(report.held_back, 0U);
  ASSERT_EQ(records_.size(), 2U);
  EXPECT_TRUE(because(records_[0], Why::kLaunchedByTuningJob));
  EXPECT_TRUE(aws_.created().empty());
}

// Somebody has run it again on the same checkpoint: no copy will be made, and nothing be held back.
TEST_F(SweepLimit, P7_ACopyThatAnotherJobOnTheCheckpointForbidsDoesNotCount) {
  const std::string checkpoint = R"(,"CheckpointConfig":{"S3Uri":"s3://b/c"})";
  place("bad");
  place_ended("f", "Failed", minutes(1), checkpoint);
  aws_.place({.name = "rerun", .tags = kOrderly, .more = checkpoint});
  const SweepReport report = run(limited(std::string(kTeam) + "," + kResume, 1));
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_EQ(aws_.status("bad"), "Stopping");
  EXPECT_TRUE(aws_.created().empty());
}

class SweepCapacity : public SweepLimit {
 protected:
  static constexpr const char* kReason = R"(,"FailureReason":"CapacityError: Unable to provision")";

  // A job that has just found no machines; its own event decides on a copy.
  void find_no_machines(const std::string& job) {
    place_ended(job, "Failed", seconds(0), kReason);
    EXPECT_EQ(kind(handle(policy(kResume), event(job))), Kind::kWaits);
  }
};

// They were counted when their events decided on them, by the hour's brake.
TEST_F(SweepCapacity, A4_P7_CopiesThatWaitedForMachinesAreMadeAndHoldNothingBack) {
  for (const char* job : {"f", "g"}) find_no_machines(job);
  aws_.pass(minutes(14));
  const rules::Policy both = limited(std::string(kTeam) + "," + kResume, 1);
  EXPECT_FALSE(run(both).failure());
  EXPECT_TRUE(aws_.created().empty());
  aws_.pass(minutes(2));
  place("bad");
  const SweepReport report = run(both);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.due, 2U);
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_EQ(aws_.status("bad"), "Stopping");
  EXPECT_EQ(copied(), (Names{"f", "g"}));
  EXPECT_EQ(run(both).due, 0U);
}

// Slots are of the hour in which copies are made, however long they waited.
TEST_F(SweepCapacity, A4_P7_AnOutageIsMadeUpForAtTheHoursPace) {
  const rules::Policy one =
      policy(kResume, "enforce", R"("limits":{"restarts_per_hour":1,"stops_per_sweep":5},)");
  for (const char* job : {"f", "g"}) {
    place_ended(job, "Failed", seconds(0), kReason);
    EXPECT_EQ(kind(handle(one, event(job))), job[0] == 'f' ? Kind::kWaits : Kind::kHeldBack);
  }
  aws_.pass(minutes(20));
  run(one);
  EXPECT_EQ(copied(), Names{"f"});
  aws_.pass(minutes(70));
  run(one);  // g is ordered, and made
  EXPECT_EQ(copied(), (Names{"f", "g"}));
}

TEST_F(SweepCapacity, P7_StopsThatAreHeldBackHoldNoCopyThatWaitedForMachines) {
  find_no_machines("f");
  aws_.pass(minutes(20));
  for (const char* job : {"a", "b"}) place(job);
  const SweepReport report = run(limited(std::string(kTeam) + "," + kResume, 1));
  EXPECT_NE(report.held_back, 0U);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(copied(), Names{"f"});
}

// A policy that copies such jobs since a moment ago is no other edit: P7 to the letter.
TEST_F(SweepCapacity, P7_CopiesThatNoEventDecidedOnCount) {
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(20), kReason);
  const SweepReport report = run(limited(kResume, 1));
  EXPECT_EQ(report.held_copies, 2U);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_EQ(report.due, 0U);
  EXPECT_TRUE(aws_.created().empty());
}

class SweepNewRule : public SweepTest {};

// A new rule does not run yesterday's failures again.
TEST_F(SweepNewRule, P7_RestartsBeginWithFailuresAfterTheRuleWasEnforced) {
  place_ended("yesterday", "Failed", hours(20));
  EXPECT_FALSE(run(limited(kResume, 5)).failure());
  EXPECT_TRUE(aws_.created().empty());
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(because(records_[0], Why::kRuleIsNewer));
  aws_.pass(hours(1));
  place_ended("today", "Failed", minutes(10));
  run(limited(kResume, 5));
  EXPECT_EQ(copied(), Names{"today"});
}

}  // namespace
}  // namespace trainwarden::actions::sweep_limit_test
