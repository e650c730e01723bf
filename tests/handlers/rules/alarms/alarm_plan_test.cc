#include "handlers/rules/alarms/alarm_plan.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/alarms/alarm_plan_support.h"
#include "tests/support/files.h"

namespace trainwarden::rules::alarm_plan_test {
namespace {

using alarm_plan_support::expression;
using alarm_plan_support::kCpu;
using alarm_plan_support::kIdle;
using alarm_plan_support::kLoss;
using alarm_plan_support::kMixed;
using alarm_plan_support::machines;
using alarm_plan_support::none;
using alarm_plan_support::plan;
using alarm_plan_support::watch;
using test::doc;

// Equal as alarms, and nothing else said but these members.
void expect_alarm(const PlannedAlarm& planned, std::string_view expected) {
  const json::Document found = doc(planned.body);
  const json::Document wanted = doc(expected);
  EXPECT_EQ(found.root().find("AlarmName")->as_string(), planned.name);
  const json::Document stripped = json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const auto& [name, value] : found.root().members())
      if (name != "AlarmDescription") sink.member(name, value);
    sink.end_object();
  });
  EXPECT_TRUE(json::equal(stripped.root(), wanted.root())) << planned.body;
}

TEST(AlarmPlan, W1_OneHostIsAnAlarmOnItsMetric) {
  // ml.g4dn.12xlarge has four GPUs: at most 1 % each is at most 4 in all.
  const AlarmPlan one = plan(watch(kIdle), machines("ml.g4dn.12xlarge", 1));
  ASSERT_EQ(one.alarms.size(), 1U) << none(one);
  EXPECT_EQ(none(one), "");
  EXPECT_FALSE(one.counted_as_one);
  expect_alarm(one.alarms[0], R"({
    "AlarmName": "trainwarden/train-1/gpu-idle",
    "AlarmActions": ["arn:aws:sns:ap-southeast-1:111122223333:trainwarden-alarms"],
    "Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
    "Dimensions": [{"Name": "Host", "Value": "train-1/algo-1"}],
    "Period": 300, "Statistic": "Maximum", "EvaluationPeriods": 3, "DatapointsToAlarm": 3,
    "Threshold": 4, "ComparisonOperator": "LessThanOrEqualToThreshold",
    "TreatMissingData": "notBreaching"})");
}

TEST(AlarmPlan, W1_SeveralHostsAreMetricMath) {
  const AlarmPlan two = plan(watch(kIdle), machines("ml.g4dn.12xlarge", 2));
  ASSERT_EQ(two.alarms.size(), 1U) << none(two);
  expect_alarm(two.alarms[0], R"json({
    "AlarmName": "trainwarden/train-1/gpu-idle",
    "AlarmActions": ["arn:aws:sns:ap-southeast-1:111122223333:trainwarden-alarms"],
    "Metrics": [
      {"Id": "e1", "Expression": "MAX([m1,m2])", "Label": "highest host", "ReturnData": true},
      {"Id": "m1", "ReturnData": false, "MetricStat": {"Period": 300, "Stat": "Maximum", "Metric": {
        "Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
        "Dimensions": [{"Name": "Host", "Value": "train-1/algo-1"}]}}},
      {"Id": "m2", "ReturnData": false, "MetricStat": {"Period": 300, "Stat": "Maximum", "Metric": {
        "Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
        "Dimensions": [{"Name": "Host", "Value": "train-1/algo-2"}]}}}],
    "EvaluationPeriods": 3, "DatapointsToAlarm": 3, "Threshold": 4,
    "ComparisonOperator": "LessThanOrEqualToThreshold", "TreatMissingData": "notBreaching"})json");
}

TEST(AlarmPlan, W1_EveryAndAnyHostForEachComparison) {
  const struct {
    const char* hosts;
    const char* comparison;
    const char* expression;
    const char* comparison_operator;
  } cases[] = {
      {"every", "at_most", "MAX([m1,m2,m3])", "LessThanOrEqualToThreshold"},
      {"every", "below", "MAX([m1,m2,m3])", "LessThanThreshold"},
      {"every", "at_least", "MIN([m1,m2,m3])", "GreaterThanOrEqualToThreshold"},
      {"every", "above", "MIN([m1,m2,m3])", "GreaterThanThreshold"},
      {"any", "at_most", "MIN([m1,m2,m3])", "LessThanOrEqualToThreshold"},
      {"any", "below", "MIN([m1,m2,m3])", "LessThanThreshold"},
      {"any", "at_least", "MAX([m1,m2,m3])", "GreaterThanOrEqualToThreshold"},
      {"any", "above", "MAX([m1,m2,m3])", "GreaterThanThreshold"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.hosts, c.comparison));
    const AlarmPlan found =
        plan(watch(fmt::format(R"({}, "hosts": "{}", "{}": 7.5)", kCpu, c.hosts, c.comparison)),
             machines("ml.c5.xlarge", 3));
    ASSERT_EQ(found.alarms.size(), 1U) << none(found);
    const json::Document body = doc(found.alarms[0].body);
    EXPECT_EQ(expression(body), c.expression);
    EXPECT_EQ(body.root().find("ComparisonOperator")->as_string(), c.comparison_operator);
    EXPECT_EQ(body.root().find("Threshold")->as_number(), 7.5);
  }
}

TEST(AlarmPlan, W1_TheMeanOfAllHostsIsTheirAverage) {
  const AlarmPlan found = plan(watch(fmt::format(R"({}, "hosts": "mean", "below": 7.5)", kCpu)),
                               machines("ml.c5.xlarge", 3));
  ASSERT_EQ(found.alarms.size(), 1U) << none(found);
  const json::Document body = doc(found.alarms[0].body);
  EXPECT_EQ(expression(body), "AVG([m1,m2,m3])");
  EXPECT_EQ(body.root().find("DatapointsToAlarm")->as_number(), 5);
  EXPECT_NE(body.root().find("AlarmDescription")->as_string().find(" as the mean of all hosts "),
            std::string_view::npos);
  // Of one host it is that host's.
  const AlarmPlan one = plan(watch(fmt::format(R"({}, "hosts": "mean", "below": 7.5)", kCpu)),
                             machines("ml.c5.xlarge", 1));
  EXPECT_FALSE(doc(one.alarms[0].body).root().find("Metrics"));
}

TEST(AlarmPlan, W2_VcpusThatAreNotKnownAreRefusedOrSaid) {
  const std::string per_core = std::string(kCpu) + R"(, "per_core": true)";
  const AlarmPlan low = plan(watch(per_core + R"(, "at_most": 5)"), machines("ml.z9.xlarge", 1));
  ASSERT_TRUE(low.counted_as_one);
  EXPECT_EQ(low.counted_as_one->why, Why::kUnknownCores);
  EXPECT_EQ(low.counted_as_one->name, "ml.z9.xlarge");
  EXPECT_EQ(doc(low.alarms[0].body).root().find("Threshold")->as_number(), 5);
  EXPECT_EQ(none(plan(watch(per_core + R"(, "at_least": 95)"), machines("ml.z9.xlarge", 1))),
            "how many vCPUs `ml.z9.xlarge` has is not known");
  const AlarmPlan known =
      plan(watch(per_core + R"(, "at_least": 95)"), machines("ml.c5.xlarge", 1));
  EXPECT_FALSE(known.counted_as_one);
  EXPECT_EQ(doc(known.alarms[0].body).root().find("Threshold")->as_number(), 380);
  EXPECT_NE(known.alarms[0].body.find("at least 95 per vCPU in"), std::string::npos);
}

TEST(AlarmPlan, W1_FirstIsTheFirstHostAlone) {
  const AlarmPlan found =
      plan(watch(std::string(kIdle) + R"(, "hosts": "first")"), machines("ml.p4d.24xlarge", 64));
  ASSERT_EQ(found.alarms.size(), 1U) << none(found);
  EXPECT_EQ(found.alarms[0].name, "trainwarden/train-1/gpu-idle");
  const json::Document body = doc(found.alarms[0].body);
  EXPECT_EQ(json::to_text(*body.root().find("Dimensions")),
            R"([{"Name":"Host","Value":"train-1/algo-1"}])");
  EXPECT_EQ(body.root().find("Threshold")->as_number(), 8);
}

TEST(AlarmPlan, W1_AMetricOfTheAlgorithmIsOneAlarmOnAnyNumberOfHosts) {
  const AlarmPlan found =
      plan(watch(kLoss, "heartbeat"),
           R"("AlgorithmSpecification": {"MetricDefinitions": [{"Name": "eval:loss", "Regex": "x"},
         {"Name": "train:loss", "Regex": "y"}]}, )" +
               machines("ml.p5.48xlarge", 16));
  ASSERT_EQ(found.alarms.size(), 1U) << none(found);
  expect_alarm(found.alarms[0], R"({
    "AlarmName": "trainwarden/train-1/heartbeat",
    "AlarmActions": ["arn:aws:sns:ap-southeast-1:111122223333:trainwarden-alarms"],
    "Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "train:loss",
    "Dimensions": [{"Name": "TrainingJobName", "Value": "train-1"}],
    "Period": 600, "Statistic": "SampleCount", "EvaluationPeriods": 3, "DatapointsToAlarm": 3,
    "Threshold": 1, "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"})");
}

// As policy.schema.json has them: what CloudWatch would refuse later is refused when it is loaded.
TEST(AlarmPlan, W1_PercentilesAreReadStrictly) {
  const auto loads = [](std::string_view statistic) {
    return parse_policy(fmt::format(
        R"({{"version": 1, "watches": {{"w": {{"metric": "CPUUtilization", "statistic": "{}",
            "period_seconds": 60, "periods": 5, "above": 90}}}},
            "rules": [{{"name": "r", "match": {{"job": {{"TrainingJobName": ["x"]}}}},
            "actions": ["notify"]}}]}})",
        statistic));
  };
  const auto maximum = loads("Maximum");
  ASSERT_TRUE(maximum) << maximum.error().message;
  for (const char* const good : {"p0", "p05", "p99", "p99.9", "p0.0123456789", "p100", "p100.0"})
    EXPECT_TRUE(loads(good).has_value()) << good;
  for (const char* const bad : {"p", "p.5", "p099", "p99.", "p99.01234567890", "p100.1", "p101",
                                "p1e1", "p-1", "p+1", "p 1", "P90", "p90%"})
    EXPECT_FALSE(loads(bad).has_value()) << bad;
}

TEST(AlarmPlan, W1_StatisticsAndPercentiles) {
  for (const char* statistic :
       {"Average", "Minimum", "Maximum", "Sum", "SampleCount", "p0", "p99.9", "p100"}) {
    SCOPED_TRACE(statistic);
    const Watch one = watch(fmt::format(
        R"("metric": "DiskUtilization", "statistic": "{}", "period_seconds": 60, "periods": 5,
           "above": 90)",
        statistic));
    const AlarmPlan plain = plan(one, machines("ml.c5.xlarge", 1));
    const json::Document body = doc(plain.alarms[0].body);
    const bool percentile = statistic[0] == 'p';
    EXPECT_EQ(body.root().find(percentile ? "ExtendedStatistic" : "Statistic")->as_string(),
              statistic);
    EXPECT_FALSE(body.root().find(percentile ? "Statistic" : "ExtendedStatistic"));
    const AlarmPlan math = plan(one, machines("ml.c5.xlarge", 2));
    EXPECT_NE(math.alarms[0].body.find(fmt::format(R"("Stat":"{}")", statistic)),
              std::string::npos);
    EXPECT_FALSE(doc(math.alarms[0].body).root().find("Period"));
  }
}

TEST(AlarmPlan, W1_DatapointsAndMissingData) {
  for (const char* missing : {"notBreaching", "breaching", "ignore", "missing"}) {
    const AlarmPlan found = plan(
        watch(fmt::format(R"({}, "above": 90, "datapoints": 2, "missing": "{}")", kCpu, missing)),
        machines("ml.c5.xlarge", 1));
    const json::Document body = doc(found.alarms[0].body);
    EXPECT_EQ(body.root().find("TreatMissingData")->as_string(), missing);
    EXPECT_EQ(body.root().find("EvaluationPeriods")->as_integer(), 5);
    EXPECT_EQ(body.root().find("DatapointsToAlarm")->as_integer(), 2);
  }
}

TEST(AlarmPlan, F4_AnUnknownGpuFamilyCountsOneWhereALowThresholdFailsSafe) {
  const std::string describe = machines("ml.p9.48xlarge", 1);
  const AlarmPlan idle = plan(watch(kIdle), describe);
  ASSERT_EQ(idle.alarms.size(), 1U) << none(idle);
  EXPECT_EQ(doc(idle.alarms[0].body).root().find("Threshold")->as_number(), 1);
  ASSERT_TRUE(idle.counted_as_one);
  EXPECT_EQ(idle.counted_as_one->why, Why::kUnknownGpus);
  EXPECT_EQ(idle.counted_as_one->name, "ml.p9.48xlarge");
  const AlarmPlan busy =
      plan(watch(R"("metric": "GPUUtilization", "statistic": "Minimum", "period_seconds": 300,
               "periods": 3, "at_least": 99, "per_gpu": true)"),
           describe);
  EXPECT_EQ(busy.alarms.size(), 0U);
  EXPECT_NE(none(busy).find("ml.p9.48xlarge"), std::string::npos) << none(busy);
}

TEST(AlarmPlan, W2_SaysWhyThereIsNothingToWatch) {
  const struct {
    const char* why;
    std::string watch;
    std::string describe;
    const char* told;
  } cases[] = {
      {"no GPUs", kIdle, machines("ml.c5.xlarge", 4), "GPU"},
      {"Neuron", kIdle, machines("ml.trn1.32xlarge", 4), "GPU"},
      {"no GPUs, not per GPU",
       R"("metric": "GPUMemoryUtilization", "statistic": "Maximum", "period_seconds": 300,
          "periods": 3, "above": 90)",
       machines("ml.m5.large", 1), "GPU"},
      {"not in MetricDefinitions", kLoss,
       R"("AlgorithmSpecification": {"MetricDefinitions": [{"Name": "loss", "Regex": "x"}]})",
       "`train:loss`"},
      {"no MetricDefinitions", kLoss, R"("AlgorithmSpecification": {})", "`train:loss`"},
      {"no AlgorithmSpecification", kLoss, "", "`train:loss`"},
      {"the first of different machines", std::string(kIdle) + R"(, "hosts": "first")", kMixed,
       "first"},
      {"no machines", kIdle, "", "machines"},
      {"no count", kIdle, R"("ResourceConfig": {"InstanceType": "ml.g5.xlarge"})", "machines"},
      {"too many", kIdle, machines("ml.g5.xlarge", 1001), "1000"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const AlarmPlan found = plan(watch(c.watch), c.describe);
    EXPECT_EQ(found.alarms.size(), 0U);
    EXPECT_NE(none(found).find(c.told), std::string::npos) << none(found);
  }
}

TEST(AlarmPlan, W1_TheLongestNamesStayWithinCloudWatchsLimits) {
  const std::string metric(255, 'm');
  const Watch longest =
      watch(fmt::format(R"("metric": "{}", "statistic": "p12.3456789012", "period_seconds": 3600,
                           "periods": 168, "at_least": -1.2345678901234567e-300, "hosts": "any")",
                        metric),
            std::string(63, 'w'));
  const AlarmPlan found = plan(longest, machines("ml.p4d.24xlarge", 1000), std::string(63, 'j'));
  ASSERT_EQ(found.alarms.size(), 100U) << none(found);
  EXPECT_LE(found.alarms[99].name.size(), 255U);
  const json::Document body = doc(found.alarms[99].body);
  EXPECT_LE(body.root().find("AlarmDescription")->as_string().size(), 1024U);
}

TEST(AlarmPlan, TheDescriptionTellsAPersonWhatItIs) {
  const AlarmPlan found = plan(watch(kIdle), machines("ml.g5.12xlarge", 8));
  EXPECT_EQ(doc(found.alarms[0].body).root().find("AlarmDescription")->as_string(),
            "Watch gpu-idle of training job train-1: GPUUtilization (Maximum) of every host at "
            "most 1 per GPU in 3 of 3 periods of 300 s. Made by Trainwarden, and deleted by it "
            "when the job has ended. [trainwarden]");
}

// Every comparison, statistic, missing data and number of hosts; judged by
// alarm_requests_test.py.
TEST(AlarmPlan, W1_EveryKindOfWatchIsPlanned) {
  std::vector<std::string> bodies;
  for (const char* source : {"instance", "algorithm"})
    for (const char* hosts : {"every", "any", "first"})
      for (const char* comparison : {"at_most", "below", "at_least", "above"})
        for (const char* statistic : {"Average", "Minimum", "Maximum", "Sum", "SampleCount", "p90"})
          for (const char* missing : {"notBreaching", "breaching", "ignore", "missing"})
            for (int count : {1, 2, 10, 11, 40}) {
              const AlarmPlan found = plan(
                  watch(fmt::format(
                      R"("metric": "GPUUtilization", "source": "{}", "hosts": "{}", "{}": 12.5,
                         "statistic": "{}", "missing": "{}", "period_seconds": 60, "periods": 4,
                         "datapoints": 3, "per_gpu": {})",
                      source, hosts, comparison, statistic, missing,
                      source[0] == 'i' ? "true" : "false")),
                  R"("AlgorithmSpecification": {"MetricDefinitions": [{"Name": "GPUUtilization"}]}, )" +
                      machines("ml.g6.12xlarge", count));
              const bool one = source[0] == 'a' || hosts[0] == 'f';
              ASSERT_EQ(found.alarms.size(), one ? 1 : (count + 9) / 10) << none(found);
              for (const PlannedAlarm& alarm : found.alarms) bodies.push_back(alarm.body);
            }
  test::record_alarm_requests(bodies);
}

TEST(AlarmPlanSamples, AreAlarmsThatWePlan) {
  const auto path = testing::kShared / "samples/put_metric_alarm_requests.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "2 cases need " << path.string() << ", which is not here";
  const json::Document samples = doc(testing::read_text(path));
  const AlarmPlan one = plan(watch(kIdle), machines("ml.g5.12xlarge", 1));
  const json::Document body = doc(one.alarms[0].body);
  const json::Value sample = *samples.root().find("single_host");
  for (const auto& [name, value] : sample.members()) {
    if (name == "AlarmDescription" || name == "Tags" || name == "ActionsEnabled") continue;
    ASSERT_TRUE(body.root().find(name)) << name;
    EXPECT_TRUE(json::equal(*body.root().find(name), value)) << name;
  }
}

}  // namespace
}  // namespace trainwarden::rules::alarm_plan_test
