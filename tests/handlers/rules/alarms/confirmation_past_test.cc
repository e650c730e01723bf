// Whether a job is slower than it was itself (policy.md W6).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/alarms/job_past.h"
#include "tests/handlers/rules/alarms/confirmation_support.h"
#include "tests/handlers/rules/alarms/past_support.h"

namespace trainwarden::rules::confirmation::confirmation_past_test {
namespace {

using past_support::slower;
using test::doc;

// Training for 20 hours; the metric came after ten minutes.
constexpr int kBegan = -1200;
const Job kJob{.created = kBegan - 10,
               .transitions = {{"Starting", kBegan - 10}, {"Training", kBegan}}};

struct Pace {
  double first;  // in the first six hours
  double later;
  double now;  // in the last half hour
};

// By minutes: in steps of five, from ten minutes after the begin until now.
std::vector<Datapoint> series(const Pace& pace) {
  std::vector<Datapoint> out;
  for (int minute = kBegan + 10; minute < 0; minute += 5)
    out.push_back({at(minute), minute < kBegan + 370 ? pace.first
                               : minute < -30        ? pace.later
                                                     : pace.now});
  return out;
}

Judgement judged(const Pace& pace, const Watch& watch = slower(), const Job& job = kJob) {
  const auto past = past_of(watch, series(pace), kNow);
  if (!past) return {.blind = past.error()};
  return planned(with_past(watch, *past), job).judge(Evidence{.data = {series(pace)}});
}

bool confirms(const Pace& pace) { return judged(pace).kind == Judgement::Kind::kConfirmed; }

TEST(ConfirmationPast, W6_ADropIsConfirmed) {
  EXPECT_TRUE(confirms({1000, 1000, 400}));
  EXPECT_TRUE(confirms({1000, 300, 599}));
  EXPECT_TRUE(confirms({0.001, 0.001, 0.0001}));
  EXPECT_FALSE(confirms({1000, 1000, 600})) << "not below";
  EXPECT_FALSE(confirms({1000, 400, 1000})) << "it is over";
  EXPECT_FALSE(confirms({1000, 1000, 1000}));
}

TEST(ConfirmationPast, W6_AJobThatWasAlwaysAsSlowHasNoDrop) {
  EXPECT_FALSE(confirms({100, 100, 100}));
  EXPECT_FALSE(confirms({100, 1000, 100})) << "the best that it did is not what it is measured by";
}

TEST(ConfirmationPast, W6_TheTextTellsTheShareAndTheMedian) {
  EXPECT_EQ(said(judged({1000, 1000, 400})),
            "p50 train:samples_per_second of train-1 below 600 (0.6 of 1000, the median of "
            "its first six hours) in 6 of 6 periods of 300 s: train:samples_per_second: 400, "
            "400, 400, 400, 400, …");
  EXPECT_NE(said(judged({1000, 1000, 700})).find("0 datapoints breach, 6 must"), std::string::npos);
}

// Steps a second: below a hundredth.
TEST(ConfirmationPast, W6_TheTextShowsSmallNumbers) {
  EXPECT_EQ(said(judged({0.004, 0.004, 0.002})),
            "p50 train:samples_per_second of train-1 below 0.0024 (0.6 of 0.004, the median of "
            "its first six hours) in 6 of 6 periods of 300 s: train:samples_per_second: 0.002, "
            "0.002, 0.002, 0.002, 0.002, …");
}

// Zero may be all that is said of the first hours: a job that counts its steps later.
TEST(ConfirmationPast, W6_WithoutAPastNothingIsConfirmed) {
  EXPECT_NE(said(judged({0, 1000, 1})).find("is not above 0"), std::string::npos);
  EXPECT_FALSE(confirms({-5, 1000, -100}));
  // Nor where nobody has put the past in: below what is not a number is nothing.
  const Confirmation plan = planned(slower(), kJob);
  for (const double value : {-1e9, 0.0, 1.0})
    EXPECT_NE(plan.judge(Evidence{.data = {series({value, value, value})}}).kind,
              Judgement::Kind::kConfirmed);
}

TEST(ConfirmationPast, W6_BeforeSixHoursNothingIsConfirmed) {
  const Job young{.created = -365, .transitions = {{"Starting", -365}, {"Training", -360}}};
  EXPECT_NE(restart_refusal(slower(), young).find("first six hours is not known before"),
            std::string::npos);
  EXPECT_EQ(restart_refusal(slower(), kJob), "");
  Watch absolute = slower();
  absolute.drop_to.reset();
  absolute.threshold = 600;
  EXPECT_EQ(restart_refusal(absolute, young), "");
}

// A drop is looked for in the current segment; the past is the job's, whichever segments it had.
TEST(ConfirmationPast, W6_ThePastIsOfAllSegmentsAndTheDropOfTheCurrentOne) {
  const Job again{.created = kBegan - 10,
                  .transitions = {{"Starting", kBegan - 10},
                                  {"Training", kBegan},
                                  {"Interrupted", kBegan + 100},
                                  {"Training", kBegan + 160},
                                  {"Interrupted", -100},
                                  {"Training", -60}}};
  std::vector<Datapoint> all;
  const auto trained = [](int minute) {
    return (minute >= kBegan + 10 && minute < kBegan + 100) ||
           (minute >= kBegan + 170 && minute < -100) || minute >= -60;
  };
  for (int minute = kBegan + 10; minute < 0; minute += 5)
    if (trained(minute)) all.push_back({at(minute), minute < -60 ? 1000.0 : 300.0});
  const auto past = past_of(slower(), all, kNow);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->median, 1000);
  const Watch watch = with_past(slower(), *past);
  EXPECT_EQ(planned(watch, again).judge(Evidence{.data = {all}}).kind, Judgement::Kind::kConfirmed);
  // The same values of an earlier segment, and the current one is 20 minutes old.
  Job anew = again;
  anew.transitions.emplace_back("Interrupted", -40);
  anew.transitions.emplace_back("Training", -20);
  EXPECT_NE(restart_refusal(watch, anew), "");
}

// --- the alarm

json::Document described_job() {
  return doc(R"({"AlgorithmSpecification": {"MetricDefinitions": [
    {"Name": "train:samples_per_second", "Regex": "x"}]}})");
}

TEST(AlarmPlanPast, W6_UntilThePastIsKnownTheAlarmHasNoThreshold) {
  const json::Document job = described_job();
  const AlarmPlan plan =
      plan_alarms(slower(), "train-1", read_training_job(job.root()), "arn:aws:sns:x:1:t");
  ASSERT_EQ(plan.alarms.size(), 1U);
  EXPECT_TRUE(plan.alarms[0].waits_for_past);
  const json::Document body = doc(plan.alarms[0].body);
  EXPECT_FALSE(body.root().find("Threshold"));
  EXPECT_EQ(body.root().find("AlarmDescription")->as_string(),
            "Watch slower of training job train-1: train:samples_per_second (p50) below 0.6 of the "
            "median of its first six hours in 6 of 6 periods of 300 s. Made by Trainwarden, "
            "and deleted by it when the job has ended. [trainwarden]");
}

TEST(AlarmPlanPast, W6_ThePastGivesAStaticThreshold) {
  const json::Document job = described_job();
  const AlarmPlan plan = plan_alarms(with_past(slower(), {.median = 1000}), "train-1",
                                     read_training_job(job.root()), "arn:aws:sns:x:1:t");
  ASSERT_EQ(plan.alarms.size(), 1U);
  EXPECT_FALSE(plan.alarms[0].waits_for_past);
  const json::Document body = doc(plan.alarms[0].body);
  EXPECT_EQ(body.root().find("Threshold")->as_number(), 600);
  EXPECT_EQ(body.root().find("ComparisonOperator")->as_string(), "LessThanThreshold");
}

// A sweep knows the alarm again without asking for the past; another share is another alarm.
TEST(AlarmPlanPast, W6_AllButTheThresholdTellsWhetherAnAlarmIsThePlannedOne) {
  const json::Document job = described_job();
  const auto body = [&](const Watch& watch) {
    return doc(plan_alarms(watch, "train-1", read_training_job(job.root()), "arn:aws:sns:x:1:t")
                   .alarms[0]
                   .body);
  };
  const json::Document planned = body(slower());
  const json::Document stands = body(with_past(slower(), {.median = 1000}));
  const json::Document edited = body(with_past(slower(), {.median = 5000}));
  constexpr Compared kBut = Compared::kAllButThreshold;
  for (const json::Document* other : {&stands, &edited}) {
    EXPECT_TRUE(same_alarm(planned.root(), other->root(), kBut));
    EXPECT_EQ(alarm_fingerprint(planned.root(), kBut), alarm_fingerprint(other->root(), kBut));
    EXPECT_FALSE(same_alarm(planned.root(), other->root()));
  }
  EXPECT_FALSE(same_alarm(stands.root(), edited.root()));
  Watch other = slower();
  other.drop_to = 0.5;
  EXPECT_FALSE(same_alarm(body(other).root(), stands.root(), kBut));
  other = slower();
  other.periods = 5;
  other.datapoints = 5;
  EXPECT_FALSE(same_alarm(body(other).root(), stands.root(), kBut));
}

TEST(AlarmPlanPast, W6_AJobThatDoesNotDefineTheMetricHasNoAlarm) {
  const AlarmPlan plan =
      plan_alarms(slower(), "train-1", read_training_job(doc("{}").root()), "arn:aws:sns:x:1:t");
  EXPECT_TRUE(plan.alarms.empty());
  ASSERT_TRUE(plan.none);
  EXPECT_EQ(plan.none->why, Why::kMetricNotDefined);
}

}  // namespace
}  // namespace trainwarden::rules::confirmation::confirmation_past_test
