// Replays of alarms, from the metrics that an export has kept.
#include <gtest/gtest.h>

#include "handlers/rules/backtest/replay.h"
#include "tests/handlers/rules/backtest/replay_fixture.h"

namespace trainwarden::rules::replay_alarms_test {
namespace {

using replay_fixture::at;
using replay_fixture::one;
using replay_fixture::replayed;
using replay_fixture::rules;
using replay_test_support::add_metric;
using replay_test_support::kept;
using replay_test_support::kHour;
using replay_test_support::MadeUp;
using std::chrono::minutes;

const std::string kIdlePolicy = rules(
    R"({"name": "watch", "match": {"job": {"SecondaryStatus": ["Training"]}}, "actions": [{"watch": ["idle"]}]},
       {"name": "idle", "match": {"alarm": {"watch": ["idle"], "state": ["ALARM"]}}, "actions": ["stop", "notify"]})",
    R"("watches": {"idle": {"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60,
       "periods": 10, "at_most": 5, "missing": "notBreaching"}},)");

KeptJob measured(const MadeUp& job, int idle_from, int idle_to) {
  KeptJob out = kept(job);
  add_metric(out, job, "GPUUtilization", "Average", [&](int, int minute) {
    return std::optional<double>(minute >= idle_from && minute < idle_to ? 0 : 80);
  });
  return out;
}

JobFinding idle(const MadeUp& job, int from, int to) {
  std::vector<KeptJob> jobs;
  jobs.push_back(measured(job, from, to));
  return replayed(kIdlePolicy, std::move(jobs)).front();
}

TEST(Replay, AnIdleJobIsStoppedByItsAlarm) {
  MadeUp failed;
  failed.status = failed.secondary = "Stopped";
  const JobFinding lasting = idle(failed, 60, 10'000);
  ASSERT_TRUE(lasting.stop);
  EXPECT_EQ(lasting.stop->watch, "idle");
  EXPECT_EQ(lasting.stop->trigger, Trigger::kAlarm);
  EXPECT_EQ(lasting.stop->verdict, StopVerdict::kRight);
  EXPECT_EQ(lasting.stop->ground, StopGround::kBreachLasted);
  EXPECT_EQ(lasting.stop->noticed_after, minutes(12));
  const JobFinding back = idle(failed, 60, 90);
  ASSERT_TRUE(back.stop);
  EXPECT_EQ(back.stop->ground, StopGround::kMetricCameBack);
  EXPECT_EQ(back.stop->verdict, StopVerdict::kWrong);
  // It completed: that it was idle to its end does not make the stop right.
  EXPECT_EQ(idle({}, 60, 10'000).stop.value().ground, StopGround::kCompleted);
  EXPECT_FALSE(idle({}, 60, 65).stop);
}

TEST(Replay, AnAlarmThatStandsIsConfirmedAgainBySweeps) {
  MadeUp stopped;
  stopped.status = stopped.secondary = "Stopped";
  // Idle from its first minute on: the alarm calls within the half hour that a job has to warm up.
  const JobFinding warming_up = idle(stopped, 0, 10'000);
  ASSERT_TRUE(warming_up.stop);
  EXPECT_EQ(warming_up.stop->trigger, Trigger::kSweep);
  EXPECT_EQ(warming_up.stop->watch, "idle");
  EXPECT_EQ(warming_up.stop->at, at(45 * 60));
  // It worked again before that.
  EXPECT_FALSE(idle(stopped, 0, 25).stop);
}

TEST(Replay, AnAlarmThatStoodBeforeItWasAskedForCounts) {
  const std::string late = rules(
      R"({"name": "watch", "match": {"job": {"SecondaryStatus": ["Training"]}, "runtime": {"training_seconds": [{"numeric": [">", 7200]}]}}, "actions": [{"watch": ["idle"]}]},
         {"name": "idle", "match": {"alarm": {"watch": ["idle"], "state": ["ALARM"]}}, "actions": ["stop"]})",
      R"("watches": {"idle": {"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60,
         "periods": 10, "at_most": 5, "missing": "notBreaching"}},)");
  std::vector<KeptJob> jobs;
  jobs.push_back(measured({}, 40, 10'000));
  const JobFinding found = replayed(late, std::move(jobs)).front();
  ASSERT_TRUE(found.stop);
  EXPECT_GE(found.stop->at, at(2 * kHour + 600));
}

TEST(Replay, AMetricThatIsGoneIsUnknownAndNoNo) {
  const JobFinding found = one(kIdlePolicy, {});
  EXPECT_FALSE(found.stop);
  ASSERT_EQ(found.undecidable.size(), 1U);
  EXPECT_EQ(found.undecidable.front().rule, 1U);
  EXPECT_EQ(found.undecidable.front().cause, Undecidable::Cause::kMetricMissing);
  EXPECT_EQ(found.undecidable.front().watch, "idle");
}

}  // namespace
}  // namespace trainwarden::rules::replay_alarms_test
