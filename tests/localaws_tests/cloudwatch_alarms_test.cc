// Alarms over time, by a clock of the test's own.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/localaws/cloudwatch/cloudwatch.h"

namespace trainwarden::localaws::cloudwatch_alarms_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const sys_millis kNow{std::chrono::milliseconds(1'783'000'020'000)};  // a full minute

class CloudWatchAlarmsTest : public ::testing::Test {
 protected:
  void call(std::string_view operation, const std::string& input, sys_millis now) {
    const auto document = json::Document::parse(input);
    ASSERT_TRUE(document) << document.error().message;
    const auto answer = cloudwatch_.call(operation, document->root(), now);
    ASSERT_TRUE(answer) << answer.error().message;
  }

  void put_alarm(std::string_view missing, sys_millis now) {
    call("PutMetricAlarm",
         fmt::format(R"({{"AlarmName":"a","AlarmActions":["arn:aws:sns:us-east-1:1:t"],
              "OKActions":["arn:aws:sns:us-east-1:1:t"],"Namespace":"N","MetricName":"m",
              "Statistic":"Average","Period":60,"EvaluationPeriods":2,"Threshold":1,
              "ComparisonOperator":"LessThanThreshold","TreatMissingData":"{}"}})",
                     missing),
         now);
  }

  void put_value(double value, sys_millis at) {
    call("PutMetricData",
         fmt::format(R"({{"Namespace":"N","MetricData":[{{"MetricName":"m","Value":{},
              "Timestamp":{}}}]}})",
                     value, at.time_since_epoch().count() / 1000),
         at);
  }

  void set_state(std::string_view state, sys_millis now) {
    call("SetAlarmState",
         fmt::format(R"({{"AlarmName":"a","StateValue":"{}","StateReason":"x"}})", state), now);
  }

  std::vector<std::string> subjects_;
  CloudWatch cloudwatch_{{"us-east-1", "1"}, [this](const CloudWatch::Notice& notice, sys_millis) {
                           subjects_.push_back(notice.subject.substr(0, notice.subject.find(':')));
                         }};
};

TEST_F(CloudWatchAlarmsTest, ASetStateHoldsUntilTheNextMinute) {
  put_alarm("notBreaching", kNow);
  cloudwatch_.advance(kNow);
  EXPECT_EQ(subjects_, (std::vector<std::string>{"OK"})) << "a new alarm is evaluated at once";
  set_state("ALARM", kNow + seconds(1));
  for (int i = 2; i < 60; ++i) cloudwatch_.advance(kNow + seconds(i));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"OK", "ALARM"}));
  cloudwatch_.advance(kNow + seconds(60));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"OK", "ALARM", "OK"}));
}

TEST_F(CloudWatchAlarmsTest, AMetricThatFallsAndRisesActsOnceEachWay) {
  put_alarm("missing", kNow);
  const std::vector<double> values = {5, 5, 0, 0, 0, 0, 5, 5};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const sys_millis minute = kNow + minutes(static_cast<int>(i));
    put_value(values[i], minute + seconds(10));
    cloudwatch_.advance(minute + minutes(1));
  }
  EXPECT_EQ(subjects_, (std::vector<std::string>{"OK", "ALARM", "OK"}));
}

// SetAlarmState changes the state until the next evaluation, and acts on the change.
TEST_F(CloudWatchAlarmsTest, WhatIsResetByHandFiresAgain) {
  put_value(0, kNow - minutes(2));
  put_value(0, kNow - minutes(1));
  put_alarm("notBreaching", kNow);
  set_state("INSUFFICIENT_DATA", kNow + seconds(5));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM"})) << "no action for INSUFFICIENT_DATA";
  cloudwatch_.advance(kNow + seconds(59));
  cloudwatch_.advance(kNow + seconds(60));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM", "ALARM"}))
      << "the evaluation range still has two of two";
}

// "When you update an existing alarm, its state is left unchanged, but the update completely
// overwrites the previous configuration": PutMetricAlarm. What the new one says comes of
// evaluation.
TEST_F(CloudWatchAlarmsTest, APutOfAnAlarmThatStandsDoesNotActAgain) {
  put_value(0, kNow - minutes(2));
  put_value(0, kNow - minutes(1));
  put_alarm("notBreaching", kNow);
  put_alarm("notBreaching", kNow + seconds(5));
  put_alarm("ignore", kNow + seconds(10));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM"}));
}

// "If data points are missing soon after you create an alarm, and the metric was being reported
// before you created the alarm, CloudWatch retrieves the most recent data points from before."
TEST_F(CloudWatchAlarmsTest, DataFromBeforeTheAlarmCount) {
  put_value(0, kNow - minutes(4));
  put_value(0, kNow - minutes(3));
  put_alarm("notBreaching", kNow);
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM"}));
}

// Periods x evaluation periods beyond a day: "takes into account only the metrics up to the current
// hour at the :00 minute".
TEST_F(CloudWatchAlarmsTest, AlarmsOverDaysLookAtFullHours) {
  const sys_millis hour(std::chrono::ceil<std::chrono::hours>(kNow));
  call("PutMetricAlarm",
       R"({"AlarmName":"days","AlarmActions":["arn:aws:sns:us-east-1:1:t"],"Namespace":"N",
           "MetricName":"m","Statistic":"Maximum","Period":3600,"EvaluationPeriods":25,
           "DatapointsToAlarm":1,"Threshold":1,"ComparisonOperator":"GreaterThanThreshold",
           "TreatMissingData":"notBreaching"})",
       hour + minutes(1));
  put_value(5, hour + minutes(2));
  cloudwatch_.advance(hour + minutes(59));
  EXPECT_TRUE(subjects_.empty());
  cloudwatch_.advance(hour + minutes(60));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM"}));
}

class MathAlarmsTest : public CloudWatchAlarmsTest {
 protected:
  // Over the hosts 1 and 2; two of two periods.
  void put_math(std::string_view expression, std::string_view comparison, double threshold,
                std::string_view missing, std::string_view statistic = "Maximum") {
    std::string metrics;
    for (const char host : {'1', '2'})
      metrics += fmt::format(
          R"(,{{"Id":"m{0}","ReturnData":false,"MetricStat":{{"Period":60,"Stat":"{1}","Metric":
          {{"Namespace":"N","MetricName":"m","Dimensions":[{{"Name":"Host","Value":"{0}"}}]}}}}}})",
          host, statistic);
    call("PutMetricAlarm",
         fmt::format(R"({{"AlarmName":"math","AlarmActions":["arn:aws:sns:us-east-1:1:t"],
              "EvaluationPeriods":2,"Threshold":{},"ComparisonOperator":"{}",
              "TreatMissingData":"{}","Metrics":[{{"Id":"e1","Expression":"{}"}}{}]}})",
                     threshold, comparison, missing, expression, metrics),
         kNow);
  }

  // In the minutes before kNow, the newest last; negative: none.
  void put_host(int host, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0) continue;
      const sys_millis at = kNow - minutes(static_cast<int>(values.size() - i));
      call("PutMetricData",
           fmt::format(R"({{"Namespace":"N","MetricData":[{{"MetricName":"m","Value":{},
                "Timestamp":{},"Dimensions":[{{"Name":"Host","Value":"{}"}}]}}]}})",
                       values[i], at.time_since_epoch().count() / 1000, host),
           kNow);
    }
  }

  std::string state() {
    const auto document = json::Document::parse(R"({"AlarmNames":["math"]})");
    const auto answer = cloudwatch_.call("DescribeAlarms", document->root(), kNow);
    const auto parsed = json::Document::parse(*answer);
    std::string out;
    for (const json::Value alarm : parsed->root().find("MetricAlarms")->elements())
      out = alarm.find("StateValue")->as_string();
    return out;
  }
};

TEST_F(MathAlarmsTest, TheBusiestHostDecidesWhetherAllIdle) {
  put_host(1, {0, 0});
  put_host(2, {0, 90});
  put_math("MAX([m1,m2])", "LessThanOrEqualToThreshold", 4, "notBreaching");
  EXPECT_EQ(state(), "OK");
  put_math("MIN([m1,m2])", "LessThanOrEqualToThreshold", 4, "notBreaching");
  EXPECT_EQ(state(), "ALARM") << "the idlest one decides whether any idles";
}

TEST_F(MathAlarmsTest, AHostWithoutDataLeavesTheOthersToDecide) {
  put_host(1, {0, 0});
  put_host(2, {-1, -1});
  put_math("MAX([m1,m2])", "LessThanOrEqualToThreshold", 4, "notBreaching");
  EXPECT_EQ(state(), "ALARM") << "hence the second look at each host (W4)";
}

TEST_F(MathAlarmsTest, WithoutAnyDataTheTreatmentDecides) {
  for (const auto& [missing, expected] :
       std::vector<std::pair<std::string, std::string>>{{"ignore", "INSUFFICIENT_DATA"},
                                                        {"missing", "INSUFFICIENT_DATA"},
                                                        {"notBreaching", "OK"},
                                                        {"breaching", "ALARM"}}) {
    cloudwatch_.clear();
    put_math("MAX([m1,m2])/8", "LessThanOrEqualToThreshold", 4, missing);
    EXPECT_EQ(state(), expected) << missing;
  }
}

TEST_F(MathAlarmsTest, PerGpuIsADivision) {
  put_host(1, {640, 640});  // 8 GPUs at 80 %
  put_host(2, {632, 632});  // 79 %
  put_math("MIN([m1,m2])/8", "LessThanThreshold", 80, "notBreaching");
  EXPECT_EQ(state(), "ALARM");
  put_math("MAX([m1,m2])/8", "LessThanThreshold", 80, "notBreaching");
  EXPECT_EQ(state(), "OK");
}

TEST_F(MathAlarmsTest, PercentilesAreStatisticsToo) {
  put_host(1, {10, 10});
  put_host(1, {20, 20});
  put_host(1, {90, 90});
  put_math("MAX([m1,m2])", "GreaterThanThreshold", 20, "notBreaching", "p50");
  EXPECT_EQ(state(), "OK") << "the middle one is 20";
  put_math("MAX([m1,m2])", "GreaterThanThreshold", 20, "notBreaching", "p51");
  EXPECT_EQ(state(), "ALARM");
}

TEST_F(CloudWatchAlarmsTest, ThePeriodThatRunsIsNotLookedAt) {
  put_alarm("ignore", kNow);
  put_value(0, kNow + seconds(5));
  put_value(0, kNow + seconds(65));
  cloudwatch_.advance(kNow + seconds(119));
  EXPECT_TRUE(subjects_.empty()) << "the second period has not ended";
  cloudwatch_.advance(kNow + seconds(120));
  EXPECT_EQ(subjects_, (std::vector<std::string>{"ALARM"}));
}

}  // namespace
}  // namespace trainwarden::localaws::cloudwatch_alarms_test
