// Copies that a sweep makes of jobs that have ended (P7): what counts, whose turn comes when, and
// how it ends.
#include "tests/handlers/actions/sweep/copy_queue_fixture.h"

namespace trainwarden::actions::copy_queue_test {
namespace {

using copy_queue_fixture::CopyTurnsTest;
using copy_queue_fixture::kAgain;
using copy_queue_fixture::kAgainOnFault;
using copy_queue_fixture::kFault;
using copy_queue_fixture::kQuota;
using copy_queue_fixture::kSix;

TEST_F(CopyTurnsTest, P7_SixCopiesThatMetAQuotaAreMadeWhenThereIsRoom) {
  const rules::Policy with = both(5);
  fail_against_quota(kSix, with);
  place("bad");
  aws_.refuse("CreateTrainingJob", kQuota, 6);
  const SweepReport report = run(with);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.queued, 6U);
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_EQ(aws_.status("bad"), "Stopping");
  EXPECT_TRUE(aws_.created().empty());
  aws_.pass(minutes(15));
  EXPECT_FALSE(run(with).failure());
  EXPECT_EQ(copied(), kSix);
  EXPECT_EQ(run(with).due, 0U);
  EXPECT_EQ(times_notified("held-back"), 0);
}

TEST_F(CopyTurnsTest, P7_EightWhoseDescribeWasThrottledAreCopied) {
  for (const char* again : {kAgain, kAgainOnFault}) {
    const rules::Policy with = both(5, again);
    const std::string prefix = again == kAgain ? "a" : "b";
    const std::size_t before = aws_.created().size();
    for (int i = 0; i < 8; ++i) {
      aws_.refuse("DescribeTrainingJob", testing::kThrottled, 100);
      EXPECT_TRUE(fail_now(fmt::format("{}{}", prefix, i), with).failure());
      aws_.faults.clear();
    }
    place("bad-" + prefix);
    const SweepReport report = run(with);
    EXPECT_FALSE(report.failure());
    EXPECT_EQ(report.queued, 8U);
    EXPECT_EQ(aws_.status("bad-" + prefix), "Stopping");
    EXPECT_EQ(aws_.created().size(), before + 8);
    EXPECT_EQ(run(with).due, 0U);
    aws_.pass(hours(2));
  }
}

// The rule was in force at the job's end, whenever a sweep saw it first.
TEST_F(CopyTurnsTest, S1_P7_WhatWaitsNeedsNoSweepBeforeTheJobsEnd) {
  const std::string rule =
      R"({"name": "other", "match": {"job": {"TrainingJobStatus": ["Failed"]}}, "actions": ["restart"]})";
  place_ended("new", "Failed", seconds(0), kFault);
  aws_.refuse("DescribeTrainingJob", testing::kThrottled, 100);
  EXPECT_TRUE(fail_now("waits", limited(rule, 5)).failure());
  aws_.faults.clear();
  aws_.pass(minutes(5));
  run(limited(rule, 5));
  EXPECT_EQ(copied(), Names{"waits"});
}

TEST_F(CopyTurnsTest, P7_TheOldestIsCopiedFirstAndOfTwoTheOneWhoseNameComesFirst) {
  const rules::Policy with = both(5);
  aws_.refuse("CreateTrainingJob", kQuota, 12);
  for (const char* job : {"z-first", "b", "a", "late"}) {
    fail_now(job, with);
    if (std::string_view(job) != "b") aws_.pass(minutes(1));  // a ends as b does
  }
  aws_.faults.clear();
  aws_.spare("CreateTrainingJob", 3);
  aws_.refuse("CreateTrainingJob", kQuota);
  run(with);
  EXPECT_EQ(copied(), (Names{"z-first", "a", "b"}));
}

// What AWS lacks for one job it may have for others: those behind it are not kept waiting for it.
TEST_F(CopyTurnsTest, P7_AJobOnOtherMachinesIsAskedForBeforeTheNextLikeThatWhichWasRefused) {
  const rules::Policy with = both(5);
  aws_.refuse("CreateTrainingJob", kQuota, 9);
  for (const auto& [job, type] :
       {std::pair("p1", "ml.p5.48xlarge"), std::pair("p2", "ml.p5.48xlarge"),
        std::pair("g1", "ml.g5.12xlarge")}) {
    aws_.place({.name = job,
                .status = "Failed",
                .secondary = "Failed",
                .type = type,
                .since = seconds(0),
                .tags = kOrderly,
                .more = kFault});
    deliver(job, with);
    aws_.pass(minutes(1));
  }
  aws_.refuse("CreateTrainingJob", kQuota);
  run(with);
  EXPECT_EQ(copied(), (Names{"g1", "p2"}));
}

// A rule that is mended, or that only observes by now, is not held to what it asked for.
TEST_F(CopyTurnsTest, P7_WhatWaitsIsAskedForAnewWhenItsTurnComes) {
  const std::string limit = R"("restarts_per_hour":1,"stops_per_sweep":5)";
  for (const std::string& job : kSix) fail_now(job, limits(kAgain, limit));
  EXPECT_EQ(copied(), Names{"f1"});
  aws_.pass(minutes(90));
  const SweepReport report = run(limits(kTeam, limit));
  EXPECT_EQ(report.due, 5U);
  EXPECT_EQ(report.queued, 0U);
  // A rule that asks for it later finds what nobody has decided on.
  const SweepReport later = run(limits(kAgain, R"("restarts_per_hour":20,"stops_per_sweep":4)"));
  EXPECT_EQ(later.due, 0U);
  EXPECT_EQ(later.held_copies, 5U);
  EXPECT_EQ(copied(), Names{"f1"});
}

TEST_F(CopyTurnsTest, P7_AnEarlierJobOfThatNameDoesNotWaitForALaterOne) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":0,"stops_per_sweep":0)");
  fail_now("f", with);
  aws_.pass(minutes(30));
  aws_.place({.name = "f",
              .status = "Failed",
              .secondary = "Failed",
              .age = minutes(20),
              .since = minutes(1),
              .tags = kOrderly,
              .more = kFault});
  const SweepReport report = run(with);
  EXPECT_EQ(report.queued, 0U);
  EXPECT_EQ(report.held_copies, 1U);
}

// Nobody knows what becomes of them: they are not copied now, and count for nothing.
TEST_F(CopyTurnsTest, P7_WhatASweepCannotLookAtIsLeftToTheNextAndStaysNew) {
  const rules::Policy with = both(1);
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(5), kFault);
  place("bad");
  aws_.refuse("ListTags", testing::kThrottled, 100);
  const SweepReport report = run(limited(kAgain, 1));
  EXPECT_EQ(report.held_copies, 0U);
  EXPECT_EQ(report.failed, 2U);
  EXPECT_TRUE(aws_.created().empty());
  aws_.faults.clear();
  EXPECT_EQ(run(with).held_copies, 2U);
  EXPECT_EQ(aws_.status("bad"), "Stopping");
}

// The table's index is behind, or may not be asked: nobody who waits is taken for a new one.
TEST_F(CopyTurnsTest, P7_WhatWaitsIsKnownWithoutTheListOfWhatIsDue) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":1,"stops_per_sweep":2)");
  for (const std::string& job : kSix) fail_now(job, with);
  aws_.pass(minutes(90));
  aws_.refuse("Query", testing::kThrottled, 100);
  const SweepReport report = run(with);
  EXPECT_EQ(report.queued, 5U);
  EXPECT_EQ(report.held_copies, 0U);
  EXPECT_EQ(copied(), (Names{"f1", "f2"}));
}

// What the policy itself lacks does not come with time.
TEST_F(CopyTurnsTest, P7_ARuleWithoutItsPriceWaitsForNothing) {
  const rules::Policy with = limited(
      R"({"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]},
          "cost": {"spent_usd": [{"numeric": ["<", 100]}]}}, "actions": ["restart"]})",
      5);
  EXPECT_EQ(fail_now("f", with).skipped.size(), 1U);
  EXPECT_EQ(run(with).due, 0U);
}

// Where nothing fails, nothing is written down.
TEST_F(CopyTurnsTest, P7_ACopyThatIsMadeAtOnceLeavesNobodyWaiting) {
  EXPECT_EQ(kind(fail_now("f", both(5))), Kind::kCopied);
  EXPECT_EQ(run(both(5)).due, 0U);
}

// Each sweep has time for some, and goes on where the last one ended.
TEST_F(CopyTurnsTest, S1_P7_ASweepThatIsCutByTimeCopiesTheOldestAndTheNextOnesTheRest) {
  const rules::Policy with = both(5);
  Names all;
  for (int i = 0; i < 8; ++i) all.push_back(fmt::format("f{}", i));
  fail_against_quota(all, with);
  aws_.slow("CreateTrainingJob", seconds(14), 100);
  left_ = seconds(100);
  for (const char* job : {"v1", "v2"}) place(job);
  const SweepReport cut = run(with);
  EXPECT_TRUE(cut.incomplete);
  EXPECT_EQ(stopping(), 2);
  const Names first = copied();
  ASSERT_FALSE(first.empty());
  ASSERT_LT(first.size(), 8U);
  EXPECT_EQ(first, Names(all.begin(), all.begin() + std::ssize(first)));
  for (int i = 0; i < 7; ++i) {
    aws_.pass(minutes(15));
    run(with);
  }
  EXPECT_EQ(copied(), all);
}

}  // namespace
}  // namespace trainwarden::actions::copy_queue_test
