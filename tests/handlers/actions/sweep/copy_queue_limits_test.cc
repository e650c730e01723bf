// Copies that limits hold back, and what is told of them.
#include "tests/handlers/actions/sweep/copy_queue_fixture.h"

namespace trainwarden::actions::copy_queue_limits_test {
namespace {

using copy_queue_fixture::CopyTurnsTest;
using copy_queue_fixture::kAgain;
using copy_queue_fixture::kFault;
using copy_queue_fixture::kQuota;
using copy_queue_fixture::kSix;
using copy_queue_fixture::with_role;

TEST_F(CopyTurnsTest, P7_StopsThatAreHeldBackHoldNoCopies) {
  for (const char* job : {"v1", "v2", "v3"}) place(job);
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(5), kFault);
  const SweepReport report = run(both(2));
  EXPECT_EQ(report.held_back, 3U);
  EXPECT_EQ(report.held_copies, 0U);
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(copied(), (Names{"f", "g"}));
}

TEST_F(CopyTurnsTest, P7_CopiesThatAreHeldBackHoldNoStopsAndNoneThatWait) {
  const rules::Policy with = both(2);
  fail_against_quota({"waits"}, with);
  for (const char* job : {"f", "g", "h"}) place_ended(job, "Failed", minutes(5), kFault);
  place("bad");
  const SweepReport report = run(with);
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_EQ(report.held_copies, 3U);
  EXPECT_EQ(report.copy_examples, (Names{"f", "g", "h"}));
  ASSERT_TRUE(report.failure());
  EXPECT_NE(report.failure()->message.find("events"), std::string::npos);
  EXPECT_EQ(aws_.status("bad"), "Stopping");
  EXPECT_EQ(copied(), Names{"waits"});
  EXPECT_EQ(subject(), "Trainwarden holds back: limits.stops_per_sweep is reached");
  EXPECT_TRUE(told("dead-letter queue"));
  EXPECT_TRUE(told("trainwarden restart JOB"));
  // Who was held back is not taken for one that waits.
  aws_.pass(minutes(15));
  EXPECT_EQ(run(with).held_copies, 3U);
  EXPECT_EQ(copied(), Names{"waits"});
}

TEST_F(CopyTurnsTest, R2_ThatCopiesAreHeldBackCannotBeClaimed) {
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(5), kFault);
  const localaws::AwsError denied{400, "AccessDeniedException", "not authorized to perform that"};
  aws_.refuse("PutItem", denied, 100);
  const SweepReport report = run(both(1));
  EXPECT_EQ(report.held_copies, 2U);
  EXPECT_TRUE(report.state_unavailable);
  EXPECT_EQ(times_notified("held-back"), 0);
}

// The first is told at once, the other with the hour's digest (A9).
TEST_F(CopyTurnsTest, A9_StopsAndCopiesThatAreHeldBackAreToldTogether) {
  for (const char* job : {"v1", "v2"}) place(job);
  for (const char* job : {"f", "g"}) place_ended(job, "Failed", minutes(5), kFault);
  const SweepReport report = run(both(1));
  EXPECT_EQ(times_notified("held-back"), 1);
  EXPECT_EQ(report.held_back, 2U);
  EXPECT_EQ(report.held_copies, 2U);
  run(both(1));
  EXPECT_EQ(times_notified("held-back"), 1);
  EXPECT_EQ(times_notified("digest"), 0);
  aws_.pass(minutes(45));
  run(both(1));
  EXPECT_EQ(times_notified("digest"), 0);
  aws_.pass(minutes(15));
  run(both(1));
  EXPECT_EQ(times_notified("digest"), 1);
  EXPECT_TRUE(told("would stop 2 jobs"));
  EXPECT_TRUE(told("would run 2 jobs again"));
}

// A quota that never comes back.
TEST_F(CopyTurnsTest, A2_P7_WhatAWSRefusesEndsAfter26HoursAndIsToldOnce) {
  const rules::Policy with = both(5);
  fail_against_quota(kSix, with);
  aws_.refuse("CreateTrainingJob", kQuota, 100'000);
  sweep_on(with, hours(25));
  EXPECT_EQ(times_notified("refused"), 0);
  EXPECT_EQ(run(with).due, 6U);
  sweep_on(with, hours(3));
  EXPECT_EQ(times_notified("refused"), 6);
  EXPECT_EQ(times_notified("failed"), 6);
  aws_.faults.clear();
  sweep_on(with, hours(2));
  EXPECT_EQ(run(with).due, 0U);
  EXPECT_EQ(times_notified("refused"), 6);
  EXPECT_TRUE(aws_.created().empty());
}

// The hour's limit lets none through: neither ordered nor owed, and they end all the same.
TEST_F(CopyTurnsTest, A2_P7_WhatTheHourHoldsBackEndsAfter26HoursAndIsToldOnce) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":0,"stops_per_sweep":2)");
  for (const std::string& job : kSix) EXPECT_EQ(kind(fail_now(job, with)), Kind::kHeldBack);
  sweep_on(with, hours(25));
  EXPECT_EQ(times_notified("refused"), 0);
  sweep_on(with, hours(2));
  EXPECT_EQ(times_notified("refused"), 6);
  sweep_on(with, hours(2));
  EXPECT_EQ(times_notified("refused"), 6);
  EXPECT_EQ(run(with).due, 0U);
  EXPECT_TRUE(aws_.created().empty());
}

// The sweeps stopped for a day: what became too late meanwhile is not made.
TEST_F(CopyTurnsTest, A2_P7_The26HoursMayEndBetweenTwoSweeps) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":1,"stops_per_sweep":5)");
  aws_.refuse("CreateTrainingJob", kQuota, 3);
  fail_now("refused", with);
  fail_now("made", with);
  EXPECT_EQ(kind(fail_now("held", with)), Kind::kHeldBack);
  EXPECT_EQ(copied(), Names{"made"});
  aws_.pass(hours(27));
  run(with);
  EXPECT_EQ(copied(), Names{"made"});
  EXPECT_EQ(times_notified("refused"), 2);
  EXPECT_EQ(run(with).due, 0U);
}

TEST_F(CopyTurnsTest, P7_MoreThanAnHourAllowsAreMadeInTurnAtItsPace) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":3,"stops_per_sweep":2)");
  Names all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(fmt::format("f{}", i));
    fail_now(all.back(), with);
    aws_.pass(seconds(10));
  }
  EXPECT_EQ(aws_.created().size(), 1U) << "events take half";
  for (std::size_t made = aws_.created().size(); made < 10; made = aws_.created().size()) {
    sweep_on(with, hours(1));
    ASSERT_LE(aws_.created().size(), made + 3);
    sweep_on(with, hours(1));
    ASSERT_GT(aws_.created().size(), made);
  }
  EXPECT_EQ(copied(), all);
  std::vector<sys_millis> times;
  for (const std::string& copy : aws_.created())
    times.push_back(aws_.find(copy)->machine.state().created);
  for (std::size_t i = 3; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 3], hours(1));
}

// The team's jobs fail again and again, and take every slot that they can get.
TEST_F(CopyTurnsTest, P7_OneRolesFailuresDoNotKeepTheOthersOut) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":4,"stops_per_sweep":5)");
  int failed = 0;
  const auto flood = [&](int times) {
    for (int i = 0; i < times; ++i)
      fail_now(fmt::format("loud-{}", failed++), with, with_role("loud"));
  };
  flood(100);
  EXPECT_EQ(aws_.created().size(), 2U) << "events take half";
  aws_.pass(minutes(5));
  EXPECT_EQ(kind(fail_now("quiet", with, with_role("quiet"))), Kind::kHeldBack);
  const auto is_copied = [&] {
    const Names made = copied();
    return std::ranges::find(made, "quiet") != made.end();
  };
  for (int quarter = 0; quarter < 5 && !is_copied(); ++quarter) {
    for (int i = 0; i < 5; ++i) {
      aws_.pass(minutes(3));
      flood(1);
    }
    run(with);
  }
  EXPECT_TRUE(is_copied());
}

// What AWS refuses takes no slot: the quiet job's own event copies it.
TEST_F(CopyTurnsTest, P7_CopiesThatAreRefusedKeepNobodyOut) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":4,"stops_per_sweep":5)");
  Names loud;
  for (int i = 0; i < 10; ++i) loud.push_back(fmt::format("loud-{}", i));
  fail_against_quota(loud, with);
  EXPECT_EQ(kind(fail_now("quiet", with)), Kind::kCopied);
  aws_.refuse("CreateTrainingJob", kQuota, 10);
  run(with);
  EXPECT_EQ(kind(fail_now("quiet-2", with)), Kind::kCopied);
}

// An answer that was lost may have been a yes: that slot counts.
TEST_F(CopyTurnsTest, P7_ACopyOfWhichNobodyKnowsKeepsItsSlot) {
  const rules::Policy with = limits(kAgain, R"("restarts_per_hour":1,"stops_per_sweep":5)");
  aws_.refuse("CreateTrainingJob", testing::kFault, 3);
  EXPECT_TRUE(fail_now("f", with).failure());
  EXPECT_EQ(kind(fail_now("g", with)), Kind::kHeldBack);
  run(with);
  EXPECT_EQ(copied(), Names{"f"});
}

}  // namespace
}  // namespace trainwarden::actions::copy_queue_limits_test
