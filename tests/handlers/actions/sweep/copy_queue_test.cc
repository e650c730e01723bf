// Copies that a sweep makes of jobs that have ended (P7): what counts, whose turn comes when, and
// how it ends.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::copy_queue_test {
namespace {

constexpr const char* kAgain = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
   "actions": [{"restart": {"limit": 3}}]})";
// Its match needs DescribeTrainingJob.
constexpr const char* kAgainOnFault = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"],
                                       "FailureReason": [{"prefix": "InternalServerError"}]}},
   "actions": [{"restart": {"limit": 3}}]})";
const std::string kFault = R"(,"FailureReason":"InternalServerError: We encountered an error.")";
const localaws::AwsError kQuota{400, "ResourceLimitExceeded",
                                "The account-level service limit is 0 Instances"};

std::string with_role(const std::string& role) {
  return kFault + fmt::format(R"(,"RoleArn":"arn:aws:iam::111122223333:role/{}")", role);
}

// Its rules are enforced since yesterday.
class CopyTurnsTest : public SweepTest {
 protected:
  void SetUp() override {
    for (const char* rule : {kAgain, kAgainOnFault}) run(limited(rule, 0));
    aws_.pass(hours(24));
    records_.clear();
  }

  static rules::Policy limits(const std::string& rules, const std::string& limits) {
    return policy(rules, "enforce", "\"limits\":{" + limits + "},");
  }
  // Violators are stopped, and failures run again.
  static rules::Policy both(int stops_per_sweep, const std::string& again = kAgain) {
    return limited(std::string(kTeam) + "," + again, stops_per_sweep);
  }

  // Failed a moment ago; its event is delivered as often as Lambda does.
  Record fail_now(const std::string& job, const rules::Policy& with,
                  const std::string& more = kFault) {
    place_ended(job, "Failed", seconds(0), more);
    return deliver(job, with);
  }
  Record deliver(const std::string& job, const rules::Policy& with) {
    request_ = "event-" + job;
    Record record = handle(with, event(job));
    for (int again = 0; again < 2 && record.failure(); ++again) record = handle(with, event(job));
    request_ = "sweep";
    return record;
  }
  void fail_against_quota(const Names& jobs, const rules::Policy& with) {
    for (const std::string& job : jobs) {
      aws_.refuse("CreateTrainingJob", kQuota, 3);
      EXPECT_TRUE(fail_now(job, with).failure()) << job;
      aws_.pass(seconds(10));
    }
    EXPECT_TRUE(aws_.created().empty());
  }
  // A sweep each quarter of an hour.
  void sweep_on(const rules::Policy& with, hours time) {
    for (hours::rep quarter = 0; quarter < time.count() * 4; ++quarter) {
      aws_.pass(minutes(15));
      request_ = fmt::format("sweep-{}", ++sweeps_);
      run(with);
    }
  }
  Names outcomes() const {
    Names out;
    for (const auto& message : aws_.notices())
      for (const auto& one : message.attributes)
        if (one.name == "outcome") out.push_back(one.value);
    return out;
  }
  std::ptrdiff_t times_notified(const std::string& outcome) const {
    return std::ranges::count(outcomes(), outcome);
  }

  int sweeps_ = 0;
};

const Names kSix = {"f1", "f2", "f3", "f4", "f5", "f6"};

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
  EXPECT_EQ(aws_.created().size(), 3U);
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
  EXPECT_EQ(aws_.created().size(), 4U);
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
