// A sweep: what it lists, looks at, does and leaves alone. Its limit is in sweep_limit_test.cc.
#include "handlers/actions/sweep/job_census.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_test {
namespace {

TEST_F(SweepTest, S1_JobsInOrderCostNoCallOfTheirOwn) {
  for (const char* job : {"a", "b"}) place(job, kOrderly);
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.running, 2U);
  EXPECT_EQ(report.looked_at, 0U);
  EXPECT_FALSE(report.incomplete);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(aws_.count("DescribeTrainingJob") + aws_.count("ListTags"), 0);
}

TEST_F(SweepTest, S1_AMissedStartIsMadeUpFor) {
  place("a", kOrderly);
  place("b");
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(report.would_act, 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].job, "b");
  EXPECT_EQ(records_[0].trigger, rules::Trigger::kSweep);
  EXPECT_EQ(aws_.status("a"), "InProgress");
  EXPECT_EQ(aws_.status("b"), "Stopping");
}

TEST_F(SweepTest, S1_SearchOnlyNominates) {
  place("late");
  aws_.before("DescribeTrainingJob", [&] { aws_.tag_job("late", "team", "vision"); });
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_TRUE(records_.at(0).decisions.empty());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(SweepTest, S1_RunningJobsAreLookedAtFromSomewhereOnAndThenRoundAgain) {
  aws_.place({.name = "middle", .age = hours(2)});
  aws_.place({.name = "old", .age = hours(48)});
  aws_.place({.name = "young", .age = minutes(30)});
  const auto order = [this] {
    Names jobs;
    for (const Record& record : records_) jobs.push_back(record.job);
    return jobs;
  };
  run(limited(kTeam, 0), 0);
  EXPECT_EQ(order(), (Names{"old", "middle", "young"}));
  run(limited(kTeam, 0), 0.5);
  EXPECT_EQ(order(), (Names{"middle", "young", "old"}));
  run(policy(kTeam, "observe"), 0.5);  // nothing is remembered
  EXPECT_EQ(order(), (Names{"young", "old", "middle"}));
  ceiling_ = rules::Mode::kObserve;
  run(policy(kTeam), 0);  // from jobs that are 28 days old
  EXPECT_EQ(order(), (Names{"old", "middle", "young"}));
  run(policy(kTeam), 0.5);  // from jobs that are 39 minutes old
  EXPECT_EQ(order(), (Names{"young", "old", "middle"}));
}

TEST_F(SweepTest, S1_DoesNotBeginToActWhenTimeIsOut) {
  for (const char* job : {"a", "b"}) place(job);
  aws_.spare("DescribeTrainingJob", 2);
  aws_.slow("DescribeTrainingJob", seconds(80));
  left_ = seconds(82);
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 1);
}

TEST_F(SweepTest, S1_StopsBeforeItsDeadlineAndSaysHowFarItGot) {
  for (const char* job : {"a", "b"}) place(job);
  aws_.slow("DescribeTrainingJob", seconds(200));
  left_ = seconds(240);
  const SweepReport report = run(policy(kTeam, "observe"));
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.to_look_at, 2U);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_FALSE(report.failure());
}

TEST_F(SweepTest, F1_AJobThatFailsIsLeftToTheNextSweep) {
  for (const char* job : {"a", "b"}) place(job);
  aws_.refuse("DescribeTrainingJob", kDenied);
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.looked_at, 2U);
  EXPECT_FALSE(report.failure());
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_NE(report.errors[0].find("job a"), std::string::npos);
  EXPECT_EQ(aws_.status("a"), "InProgress");
  EXPECT_EQ(aws_.status("b"), "Stopping");
  run(kTeam);
  EXPECT_EQ(aws_.status("a"), "Stopping");
}

TEST_F(SweepTest, F1_ASearchThatFailsFailsTheSweepButNotWhatItFound) {
  aws_.place({.name = "found", .age = hours(5)});
  for (int i = 0; i < 100; ++i) place(fmt::format("job-{}", i), kOrderly);
  aws_.spare("Search");
  aws_.refuse("Search", kDenied);  // its second page
  const SweepReport report = run(kTeam);
  EXPECT_TRUE(report.incomplete);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_EQ(aws_.status("found"), "Stopping");
}

TEST_F(SweepTest, S1_JobsThatEndedLatelyAreLookedAtAsIfTheirEventCame) {
  place_ended("f", "Failed", hours(1));
  place_ended("g", "Completed", hours(1));
  place_ended("long-ago", "Failed", hours(27));
  const SweepReport report = run(kTellFailed);
  EXPECT_EQ(report.ended, 2U);
  EXPECT_EQ(report.looked_at, 1U);
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_NE(subject().find(" f "), std::string::npos) << subject();
}

class HalfRestart : public SweepTest {
 protected:
  static constexpr const char* kAgain = R"(
    {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
     "actions": [{"restart": {}}, "notify"]})";

  // A job that our restart stopped, and whose end no event told.
  void place_half(const std::string& ends_as) {
    place("half");
    EXPECT_EQ(kind(handle(policy(kAgain), event("half"))), Kind::kStoppingToCopy);
    if (ends_as != "Stopped") aws_.enter("half", ends_as);
    aws_.pass(minutes(2));
    EXPECT_EQ(aws_.status("half"), ends_as);
    request_ = "sweep";
  }
};

TEST_F(HalfRestart, A2_IsFinishedBySweepsWhateverThePolicySays) {
  place_half("Stopped");
  run(limited(kTeam, 0));
  EXPECT_EQ(copied(), Names{"half"});
  EXPECT_EQ(run(limited(kTeam, 0)).due, 0U);
}

// CreateTrainingJob was refused for 26 hours.
TEST_F(HalfRestart, A2_WhatWasNeverMadeEndsAfter26HoursAndIsTold) {
  place_half("Stopped");
  aws_.refuse("CreateTrainingJob", kDenied);
  EXPECT_EQ(run(kTeam).failed, 1U);
  EXPECT_EQ(attribute("outcome"), "failed");
  aws_.pass(hours(27));
  records_.clear();
  run(kTeam);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].restart->result.is_because(Why::kOverdue));
  EXPECT_EQ(attribute("outcome"), "refused");
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_EQ(run(kTeam).due, 0U);
}

TEST_F(HalfRestart, A2_ARestartOfAJobThatCompletedEnds) {
  place_half("Completed");
  run(kTeam);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].restart->result.is_because(Why::kCompletedAllTheSame));
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_EQ(run(kTeam).due, 0U);
}

// Issue 39, number 4. The function died before it asked for the stop, and no rule asks any more.
TEST_F(HalfRestart, A2_WhatNobodyCarriedOutIsTakenBackAndNobodyIsTold) {
  place("half");
  aws_.before("StopTrainingJob", [] { throw testing::Killed{}; });
  EXPECT_THROW(handle(policy(kAgain), event("half")), testing::Killed);
  request_ = "sweep";
  run(kTellFailed);
  EXPECT_EQ(run(kTellFailed).due, 1U);  // its function may still be about to stop it
  aws_.pass(minutes(6));
  ceiling_ = rules::Mode::kNotify;
  run(kTellFailed);
  EXPECT_EQ(run(kTellFailed).due, 1U);  // P3
  ceiling_ = rules::Mode::kEnforce;
  run(kTellFailed);
  EXPECT_EQ(run(kTellFailed).due, 0U);
  EXPECT_EQ(aws_.status("half"), "InProgress");
  EXPECT_TRUE(aws_.notices().empty());
  // The rule begins anew where it holds again.
  EXPECT_EQ(kind(handle(policy(kAgain), event("half"))), Kind::kStoppingToCopy);
}

TEST_F(HalfRestart, A2_OfAJobThatIsGoneNothingIsOwed) {
  place_half("Stopped");
  ASSERT_TRUE(aws_.call("DeleteTrainingJob", R"({"TrainingJobName":"half"})"));
  run(kTeam);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].restart->result.is_because(Why::kGone));
  EXPECT_EQ(run(kTeam).due, 0U);
}

// The mode of the environment holds it back; one of the policy does not.
TEST_F(HalfRestart, P3_AModeOfTheEnvironmentHoldsItBack) {
  place_half("Stopped");
  ceiling_ = rules::Mode::kNotify;
  run(kTeam);
  EXPECT_TRUE(aws_.created().empty());
  ceiling_ = rules::Mode::kObserve;
  aws_.calls.clear();
  run(kTeam);
  for (const char* operation : {"GetItem", "PutItem", "Query"})
    EXPECT_EQ(aws_.count(operation), 0) << operation;
  ceiling_ = rules::Mode::kEnforce;
  const rules::Policy observes = policy(kTeam, "observe");
  run(observes);
  EXPECT_EQ(copied(), Names{"half"});
}

TEST_F(HalfRestart, F1_AJobWhoseEndIsUnknownCountsAsFailed) {
  place_half("Stopped");
  aws_.refuse("DescribeTrainingJob", kDenied);
  EXPECT_EQ(run(kTeam).failed, 1U);
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(SweepTest, S1_AlarmsOfJobsThatHaveEndedAreDeletedAfterDescribeSaidSo) {
  for (const char* alarm : {"ended/hang", "ended/idle/2", "gone/idle", "runs/idle", "seen/idle"})
    put_alarm(alarm);
  place_ended("ended", "Completed", minutes(5));
  place("seen", kOrderly);
  // Search does not know of it yet.
  aws_.before("DescribeTrainingJob", [&] { place("runs", kOrderly); });
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.orphans, 2U);
  EXPECT_EQ(report.looked_at, 3U);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(aws_.alarms(), (Names{"trainwarden/runs/idle", "trainwarden/seen/idle"}));
}

TEST_F(SweepTest, S1_WithoutTheWholeListOfRunningJobsNoAlarmIsTakenForLeftOver) {
  put_alarm("gone/idle");
  aws_.refuse("Search", kDenied);
  EXPECT_TRUE(run(kTeam).failure());
  EXPECT_EQ(aws_.alarms().size(), 1U);
  EXPECT_FALSE(run(kTeam).failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(SweepTest, S1_JobsThatEndedAreReachedAlthoughManyRunningOnesNeedALook) {
  for (const char* job : {"a", "b", "c"}) place(job);
  place_ended("f", "Failed", hours(1));
  aws_.slow("DescribeTrainingJob", seconds(70), 3);
  left_ = seconds(240);  // 60 s are kept for acting, and 45 s of the looks for the jobs that ended
  const SweepReport report = run(policy(std::string(kTeam) + "," + kTellFailed, "observe"));
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.looked_at, 3U);
  EXPECT_EQ(records_.back().job, "f");
}

rules::Policy watching() {
  return policy(
      R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})",
      "observe",
      R"("watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,)"
      R"("periods":3,"at_most":1}},)");
}

TEST_F(SweepTest, W2_AnAlarmThatIsMissingIsPutAndOneThatStandsCostsNoCall) {
  place("stands");
  run(watching());
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/stands/idle"});
  place("lacks");
  EXPECT_EQ(run(watching()).looked_at, 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].alarms().created, Names{"trainwarden/lacks/idle"});
  EXPECT_EQ(run(watching()).looked_at, 0U);
}

TEST_F(SweepTest, W2_WithoutATopicNoAlarmIsMissing) {
  config_.alarm_topic.clear();
  place("a");
  EXPECT_EQ(run(watching()).looked_at, 0U);
}

TEST_F(SweepTest, R1_TheReportAddsCallsUp) {
  place("a", kOrderly);
  const json::Document document = run(kTeam).to_json();
  const std::string text = json::to_text(document.root());
  EXPECT_NE(
      text.find(fmt::format(
          R"({{"service":"sagemaker","operation":"Search","calls":{0},"attempts":{0},"failed":0}})",
          aws_.count("Search"))),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("complete":true)"), std::string::npos);
}

TEST(RandomStart, S1_ReachesFromSecondsToTheOldestJob) {
  const sys_seconds now{seconds(1783000213)};
  EXPECT_EQ(now - random_start(now, 0.0), std::chrono::days(28));
  EXPECT_EQ(now - random_start(now, 0.5), seconds(2362));  // 28 days / 2^10
  EXPECT_EQ(now - random_start(now, 1.0), seconds(2));
}

}  // namespace
}  // namespace trainwarden::actions::sweep_test
