// How long a job must be silent until CloudWatch calls, by the alarms that a policy's watches
// become.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "handlers/rules/alarms/alarm_plan.h"
#include "tests/handlers/rules/support.h"
#include "tests/localaws/cloudwatch/cloudwatch.h"

namespace trainwarden::localaws::silence_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const sys_millis kLast{std::chrono::milliseconds(1'783'000'020'000)};  // a full minute

// The whole policy of policy.md that has this watch.
std::string recipe(const std::string& watch) {
  const std::string text = rules::test::read_file("handlers/policy.md");
  constexpr std::string_view kOpen = "```jsonc\n";
  const std::size_t at = text.find('"' + watch + "\": {");
  const std::size_t begin = text.rfind(kOpen, at) + kOpen.size();
  return text.substr(begin, text.find("```", at) - begin);
}

std::string heartbeat(int period_seconds, int periods) {
  return fmt::format(R"({{"version": 1, "rules": [{{"name": "watch-progress",
      "match": {{"job": {{"SecondaryStatus": ["Training"]}}}},
      "actions": [{{"watch": ["heartbeat"]}}]}}], "watches": {{"heartbeat": {{
      "metric": "train:loss", "source": "algorithm", "statistic": "SampleCount", "below": 1,
      "period_seconds": {}, "periods": {}, "missing": "breaching"}}}}}})",
                     period_seconds, periods);
}

// Of a job that told its loss every minute until kLast, with half a minute to spare.
int minutes_of_silence_until_alarm(const std::string& policy_text) {
  const rules::Policy policy = rules::test::policy(policy_text);
  const json::Document describe = rules::test::doc(
      R"({"AlgorithmSpecification": {"MetricDefinitions": [{"Name": "train:loss", "Regex": "x"}]}})");
  const rules::AlarmPlan plan = rules::plan_alarms(*policy.find_watch("heartbeat"), "train-1",
                                                   rules::read_training_job(describe.root()),
                                                   "arn:aws:sns:us-east-1:1:trainwarden-alarms");
  bool in_alarm = false;
  CloudWatch cloudwatch{{"us-east-1", "1"}, [&](const CloudWatch::Notice& notice, sys_millis) {
                          in_alarm = notice.subject.starts_with("ALARM");
                        }};
  const auto call = [&](std::string_view operation, const std::string& input, sys_millis now) {
    const auto answer = cloudwatch.call(operation, rules::test::doc(input).root(), now);
    ASSERT_TRUE(answer) << answer.error().message;
  };
  for (int ago = 0; ago < 120; ++ago) {
    const sys_millis at = kLast - minutes(ago) - seconds(30);
    call("PutMetricData",
         fmt::format(R"({{"Namespace": "/aws/sagemaker/TrainingJobs", "MetricData": [{{
             "MetricName": "train:loss", "Value": 0.5, "Timestamp": {},
             "Dimensions": [{{"Name": "TrainingJobName", "Value": "train-1"}}]}}]}})",
                     at.time_since_epoch().count() / 1000),
         kLast);
  }
  call("PutMetricAlarm", plan.alarms.at(0).body, kLast);
  for (int silent = 0; silent < 120; ++silent) {
    cloudwatch.advance(kLast + minutes(silent));
    if (in_alarm) return silent;
  }
  return -1;
}

// (periods + 2) × period_seconds: row `0 - - - -` of
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
TEST(SilenceTest, W1_IsNoticedAfterThePeriodsAndTwoMore) {
  EXPECT_EQ(minutes_of_silence_until_alarm(heartbeat(600, 3)), 50);
  EXPECT_EQ(minutes_of_silence_until_alarm(heartbeat(300, 6)), 40);
  EXPECT_EQ(minutes_of_silence_until_alarm(heartbeat(60, 30)), 32);
}

TEST(SilenceTest, W1_TheRecipesHalfHourIsOne) {
  EXPECT_EQ(minutes_of_silence_until_alarm(recipe("heartbeat")), 32);
}

}  // namespace
}  // namespace trainwarden::localaws::silence_test
