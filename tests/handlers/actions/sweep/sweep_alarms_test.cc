// Alarms in a sweep, where CloudWatch takes three calls a second that change them (policy.md S1,
// W2, W3).
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_alarms_test {
namespace {

using testing::kThrottled;

constexpr const char* kWatchAll = R"(
  {"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})";

class SweepAlarmsTest : public SweepTest {
 protected:
  static rules::Policy watching(const std::string& more = "", const std::string& mode = "enforce") {
    return policy(
        kWatchAll + more, mode,
        R"("watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,)"
        R"("periods":3,"at_most":1}},)");
  }
  void storm() {  // AWS at three a second, 60 ms away
    aws_.alarm_quota = localaws::AlarmQuota(3);
    aws_.slow("*", milliseconds(60), 1'000'000);
  }
  std::ptrdiff_t first(const std::string& operation) const {
    return std::ranges::find(aws_.calls, operation) - aws_.calls.begin();
  }
  std::size_t refused() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        calls_of_records(), [](const auto& call) { return call.throttled(); }));
  }
  std::vector<aws::CallMade> calls_of_records() const {
    std::vector<aws::CallMade> all;
    for (const Record& record : records_)
      all.insert(all.end(), record.calls.begin(), record.calls.end());
    return all;
  }
};

TEST_F(SweepAlarmsTest, S1_ThreeASecondArePutInTheTimeAndTheRestInTheNext) {
  constexpr std::size_t kJobs = 1000;
  for (std::size_t i = 0; i < kJobs; ++i) place(fmt::format("job-{}", i), kOrderly);
  storm();
  const auto begin = clock_.now();
  const SweepReport report = run(watching());
  EXPECT_LT(clock_.now() - begin, left_);
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_GE(report.put, 500U);
  EXPECT_EQ(aws_.alarms().size(), report.put);
  EXPECT_EQ(refused(), 0U);
  EXPECT_EQ(aws_.count("DescribeAlarms"), 1) << "one listing of all, none a job";
  const SweepReport next = run(watching());
  EXPECT_EQ(next.put, kJobs - report.put);
  EXPECT_EQ(aws_.alarms().size(), kJobs);
  EXPECT_FALSE(next.incomplete);
}

TEST_F(SweepAlarmsTest, S1_W3_LeftOverAlarmsAreDeletedByTheHundred) {
  for (int i = 0; i < 1000; ++i) put_alarm(fmt::format("gone-{}/idle", i));
  put_alarm("runs/idle");
  place("runs", kOrderly);
  storm();
  const SweepReport report = run(policy(kTeam));
  EXPECT_EQ(report.orphans, 1000U);
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/runs/idle"});
  EXPECT_EQ(aws_.count("DeleteAlarms"), 10);
  EXPECT_FALSE(report.incomplete);
}

TEST_F(SweepAlarmsTest, S1_StopsComeFirst) {
  for (const char* job : {"a", "b", "c"}) place(job, kOrderly);
  place("untagged");
  aws_.slow("PutMetricAlarm", minutes(10));
  run(watching(std::string(",") + kTeam));
  EXPECT_NE(aws_.status("untagged"), "InProgress");
  EXPECT_LT(first("StopTrainingJob"), first("PutMetricAlarm"));
  EXPECT_GE(aws_.count("PutMetricAlarm"), 1);
}

TEST_F(SweepAlarmsTest, S1_AJobThatRulesTellOfGetsItsAlarmInTheSameSweep) {
  place("untagged");
  const SweepReport report = run(watching(std::string(",") + kTeam, "notify"));
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/untagged/idle"});
  EXPECT_EQ(report.put, 1U);
  EXPECT_EQ(report.left, 0U);
  EXPECT_FALSE(report.incomplete);
}

TEST_F(SweepAlarmsTest, W2_WhatIsThrottledIsPutByTheNextSweep) {
  for (const char* job : {"a", "b"}) place(job, kOrderly);
  aws_.refuse("PutMetricAlarm", kThrottled);
  const SweepReport report = run(watching());
  EXPECT_EQ(report.put, 1U);
  EXPECT_EQ(report.left, 1U);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_TRUE(report.incomplete);
  EXPECT_FALSE(run(watching()).incomplete);
  EXPECT_EQ(aws_.alarms().size(), 2U);
}

TEST_F(SweepAlarmsTest, W3_WhatIsThrottledIsDeletedByTheNextSweep) {
  for (const char* alarm : {"gone/idle", "left/idle"}) put_alarm(alarm);
  aws_.refuse("DeleteAlarms", kThrottled);
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.left, 2U);
  EXPECT_EQ(report.orphans, 0U);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(run(kTeam).orphans, 2U);
  EXPECT_TRUE(aws_.alarms().empty());
}

// Such as two composite alarms in one call.
TEST_F(SweepAlarmsTest, W3_ANameThatIsRefusedKeepsNoOtherJobsAlarms) {
  for (const char* alarm : {"a/idle", "b/idle", "c/idle"}) put_alarm(alarm);
  aws_.refuse("DeleteAlarms", {400, "ValidationError", "composite"}, 2);
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.orphans, 2U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(aws_.alarms().size(), 1U);
}

TEST_F(SweepAlarmsTest, W3_AnEndThatIsNotKnownDeletesNothing) {
  put_alarm("gone/idle");
  aws_.refuse("DescribeTrainingJob", kDenied);
  EXPECT_EQ(run(kTeam).failed, 1U);
  EXPECT_EQ(aws_.alarms().size(), 1U);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_alarms_test
