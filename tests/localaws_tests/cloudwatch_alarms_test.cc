// Alarms over time, by a clock of the test's own.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/localaws/cloudwatch.h"

namespace trainwarden::localaws {
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
}  // namespace trainwarden::localaws
