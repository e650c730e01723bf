// W1: alarms on many hosts and on different ones.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/alarms/alarm_plan_support.h"

namespace trainwarden::rules::alarm_plan_hosts_test {
namespace {

using alarm_plan_support::expression;
using alarm_plan_support::kCpu;
using alarm_plan_support::kIdle;
using alarm_plan_support::kMixed;
using alarm_plan_support::machines;
using alarm_plan_support::none;
using alarm_plan_support::plan;
using alarm_plan_support::watch;
using test::doc;

struct Shape {
  std::string name;
  std::size_t metrics;  // of metric math; 0: a plain alarm
  bool calls;
  bool operator==(const Shape&) const = default;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name << ": " << shape.metrics << (shape.calls ? ", calls" : "");
}

std::vector<Shape> shapes(const AlarmPlan& plan) {
  std::vector<Shape> out;
  for (const PlannedAlarm& alarm : plan.alarms) {
    const json::Document body = doc(alarm.body);
    const auto metrics = body.root().find("Metrics");
    out.push_back({alarm.name, metrics ? metrics->size() - 1 : 0,
                   body.root().find("AlarmActions")->size() == 1});
  }
  return out;
}

TEST(AlarmPlan, W1_TenHostsAreOneAlarm) {
  EXPECT_EQ(shapes(plan(watch(kIdle), machines("ml.g5.xlarge", 10))),
            (std::vector<Shape>{{"trainwarden/train-1/gpu-idle", 10, true}}));
}

TEST(AlarmPlan, W1_OfMoreThanTenHostsTheFirstAlarmCallsForEvery) {
  EXPECT_EQ(shapes(plan(watch(kIdle), machines("ml.g5.xlarge", 12))),
            (std::vector<Shape>{{"trainwarden/train-1/gpu-idle/1", 10, true},
                                {"trainwarden/train-1/gpu-idle/2", 2, false}}));
}

TEST(AlarmPlan, W1_OfMoreThanTenHostsEachAlarmCallsForAny) {
  const AlarmPlan found =
      plan(watch(std::string(kIdle) + R"(, "hosts": "any")"), machines("ml.g5.xlarge", 21));
  EXPECT_EQ(shapes(found), (std::vector<Shape>{{"trainwarden/train-1/gpu-idle/1", 10, true},
                                               {"trainwarden/train-1/gpu-idle/2", 10, true},
                                               {"trainwarden/train-1/gpu-idle/3", 0, true}}));
  const json::Document last = doc(found.alarms[2].body);
  EXPECT_EQ(json::to_text(*last.root().find("Dimensions")),
            R"([{"Name":"Host","Value":"train-1/algo-21"}])");
  const json::Document second = doc(found.alarms[1].body);
  EXPECT_NE(json::to_text(second.root()).find("train-1/algo-11\""), std::string::npos);
  EXPECT_NE(json::to_text(second.root()).find("train-1/algo-20\""), std::string::npos);
  EXPECT_EQ(expression(second), "MIN([m1,m2,m3,m4,m5,m6,m7,m8,m9,m10])");
}

// Where the mean of 25 hosts breaches in five periods, that of the first ten may do so in two, that
// of the next in two others and that of the last five in one.
TEST(AlarmPlan, W1_OfMoreThanTenHostsEachAlarmCallsForAShareOfTheMean) {
  const AlarmPlan found = plan(watch(fmt::format(R"({}, "hosts": "mean", "below": 7.5)", kCpu)),
                               machines("ml.c5.xlarge", 25));
  EXPECT_EQ(shapes(found), (std::vector<Shape>{{"trainwarden/train-1/gpu-idle/1", 10, true},
                                               {"trainwarden/train-1/gpu-idle/2", 10, true},
                                               {"trainwarden/train-1/gpu-idle/3", 5, true}}));
  for (const PlannedAlarm& alarm : found.alarms) {
    const json::Document body = doc(alarm.body);
    EXPECT_EQ(body.root().find("DatapointsToAlarm")->as_number(), 2);
    EXPECT_EQ(body.root().find("EvaluationPeriods")->as_number(), 5);
  }
}

TEST(AlarmPlan, W1_OfDifferentMachinesAllHostsAndTheFewestGpusCount) {
  // 2 + 3 + 6 hosts; 8, 4 and no GPUs. Which hosts have none is not known: the first ten may not.
  const AlarmPlan found = plan(watch(kIdle), kMixed);
  EXPECT_EQ(shapes(found), (std::vector<Shape>{{"trainwarden/train-1/gpu-idle/1", 10, true},
                                               {"trainwarden/train-1/gpu-idle/2", 0, true}}));
  EXPECT_EQ(doc(found.alarms[0].body).root().find("Threshold")->as_number(), 4);
}

}  // namespace
}  // namespace trainwarden::rules::alarm_plan_hosts_test
