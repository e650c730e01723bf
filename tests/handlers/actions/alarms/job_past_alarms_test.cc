// A watch that compares with the job's own past: its alarm, and what it says (policy.md W6).
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::job_past_alarms_test {
namespace {

constexpr const char* kRules = R"(
  {"name": "watch-pace", "match": {"job": {"SecondaryStatus": ["Training"]}}, "actions": [{"watch": ["slower"]}]},
  {"name": "stop-slow", "match": {"alarm": {"watch": ["slower"], "state": ["ALARM"]}}, "actions": ["stop"]})";
constexpr const char* kAlarm = "trainwarden/job-1/slower";

class JobPastAlarms : public SweepTest {
 protected:
  static rules::Policy comparing(const std::string& share = "0.6") {
    return policy(kRules, "enforce",
                  fmt::format(R"("watches": {{"slower": {{"metric": "train:speed",
                    "source": "algorithm", "statistic": "Average", "period_seconds": 300,
                    "periods": 3, "drop_to": {}}}}},)",
                              share));
  }
  void place_training(seconds since, const std::string& name = "job-1") {
    aws_.place({.name = name,
                .age = since + minutes(10),
                .since = since,
                .tags = kOrderly,
                .more = R"(, "AlgorithmSpecification": {"TrainingInputMode": "File",
                  "MetricDefinitions": [{"Name": "train:speed", "Regex": "x"}]})"});
  }
  // A value every five minutes, from so long ago until so long ago.
  void prints(double value, seconds from, seconds to, const std::string& job = "job-1") {
    std::string data;
    for (seconds ago = from; ago > to; ago -= minutes(5))
      data += fmt::format(
          R"({}{{"MetricName": "train:speed", "Dimensions": [{{"Name": "TrainingJobName",
               "Value": "{}"}}], "Timestamp": {}, "Value": {}}})",
          data.empty() ? "" : ",", job,
          std::chrono::floor<seconds>(clock_.now() - ago).time_since_epoch().count(), value);
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(R"({{"Namespace": "/aws/sagemaker/TrainingJobs", "MetricData": [{}]}})",
                    data)));
    aws_.calls.clear();
  }
  // Twenty hours of training, of which the last had another pace.
  void place_that_slowed_down(double first, double now) {
    place_training(hours(20));
    prints(first, hours(20), hours(1));
    prints(now, hours(1), seconds(0));
  }
  static rules::JobEvent alarm() {
    return {.trigger = rules::Trigger::kAlarm,
            .job_name = "job-1",
            .alarm = rules::AlarmEvent{kAlarm, "slower", "ALARM"}};
  }
  void put_with_threshold(const std::string& threshold) {
    std::string different = json::to_text(aws_.alarm(kAlarm)->definition.root());
    const std::size_t begin = different.find(R"("Threshold":)");
    ASSERT_NE(begin, std::string::npos);
    different.replace(begin, different.find(',', begin) - begin, R"("Threshold":)" + threshold);
    ASSERT_TRUE(aws_.call("PutMetricAlarm", different));
    aws_.calls.clear();
  }
  std::string note(const Record& record) const { return outcome(record).note; }
};

TEST_F(JobPastAlarms, W6_AnAlarmIsPutWhenThePastIsKnown) {
  place_training(hours(5));
  prints(1000, hours(5), seconds(0));
  Record record = handle(comparing());
  EXPECT_EQ(kind(record), Kind::kNothingToWatch);
  EXPECT_NE(note(record).find("first six hours is not known before"), std::string::npos)
      << note(record);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.count("GetMetricData"), 0) << "nothing is asked that cannot be known";
  EXPECT_TRUE(aws_.alarms().empty());

  aws_.pass(hours(2));
  record = handle(comparing());
  EXPECT_EQ(kind(record), Kind::kWatched) << note(record);
  EXPECT_EQ(aws_.count("GetMetricData"), 1);
  const localaws::Alarm& alarm = *aws_.alarm(kAlarm);
  EXPECT_EQ(alarm.rule.threshold, 600);
  EXPECT_EQ(localaws::actions_of(alarm, localaws::AlarmState::kAlarm), Names{testing::kAlarmTopic});

  aws_.calls.clear();
  EXPECT_EQ(kind(handle(comparing())), Kind::kWatchedBefore);
  EXPECT_EQ(aws_.count("GetMetricData"), 0) << "an alarm that stands is not paid for again";
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(JobPastAlarms, W6_AnotherShareIsAnotherAlarm) {
  place_that_slowed_down(1000, 1000);
  handle(comparing());
  EXPECT_EQ(kind(handle(comparing("0.5"))), Kind::kWatched);
  EXPECT_EQ(aws_.alarm(kAlarm)->rule.threshold, 500);
}

TEST_F(JobPastAlarms, W6_AJobWithoutAPastHasNoAlarmAndTheRecordSaysWhy) {
  place_training(hours(20));
  prints(1000, hours(20), hours(18));
  Record record = handle(comparing());
  EXPECT_EQ(kind(record), Kind::kNothingToWatch);
  EXPECT_NE(note(record).find("a comparison needs 36"), std::string::npos) << note(record);
  place_that_slowed_down(0, 5);
  record = handle(comparing());
  EXPECT_NE(note(record).find("is not above 0"), std::string::npos) << note(record);
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(JobPastAlarms, W6_APastThatCannotBeFetchedIsNoReasonToPutNone) {
  place_that_slowed_down(1000, 1000);
  aws_.refuse("GetMetricData", testing::kDenied);
  EXPECT_TRUE(handle(comparing()).failure());
  aws_.refuse("GetMetricData", testing::kThrottled);
  const Record record = handle(comparing());
  EXPECT_EQ(record.alarms().left, Names{kAlarm});
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
  EXPECT_EQ(kind(handle(comparing())), Kind::kWatched);
}

TEST_F(JobPastAlarms, W6_ASweepPutsItOnceAndTheNextChangesNothing) {
  place_that_slowed_down(1000, 1000);
  place_training(hours(3), "young");
  SweepReport report = run(comparing());
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.put, 1U);
  EXPECT_EQ(aws_.alarms(), Names{kAlarm});
  EXPECT_EQ(aws_.alarm(kAlarm)->rule.threshold, 600);
  aws_.calls.clear();
  report = run(comparing());
  EXPECT_EQ(report.put, 0U);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 0) << "nobody lacks an alarm, not the young one";
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(JobPastAlarms, W6_ADropIsStoppedAndTheReasonNamesShareAndMedian) {
  place_that_slowed_down(1000, 400);
  const Record record = handle(comparing(), alarm());
  EXPECT_EQ(kind(record, 1), Kind::kStopped);
  EXPECT_EQ(measured(record),
            "Average train:speed of job-1 below 600 (0.6 of 1000, the median of its first six "
            "hours) in 3 of 3 periods of 300 s: train:speed: 400, 400, 400");
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(JobPastAlarms, W6_AJobThatAlwaysWasAsSlowIsNotStopped) {
  place_that_slowed_down(400, 400);
  const Record record = handle(comparing(), alarm());
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

// People can edit alarms: their threshold nominates, and decides nothing.
TEST_F(JobPastAlarms, W6_AnEditedThresholdConfirmsNothing) {
  place_that_slowed_down(1000, 900);
  ASSERT_EQ(kind(handle(comparing())), Kind::kWatched);
  put_with_threshold("5000");
  ASSERT_TRUE(aws_.call("SetAlarmState", fmt::format(R"({{"AlarmName": "{}", "StateValue": "ALARM",
                                         "StateReason": "r"}})",
                                                     kAlarm)));
  EXPECT_EQ(handle(comparing(), alarm()).conclusion, Conclusion::kNotConfirmed);
  EXPECT_FALSE(run(comparing()).failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.alarm(kAlarm)->rule.threshold, 5000) << "all else is as planned";
}

TEST_F(JobPastAlarms, W6_BeforeSixHoursAnAlarmSaysNothing) {
  place_training(hours(5));
  prints(1000, hours(5), hours(1));
  prints(1, hours(1), seconds(0));
  const Record record = handle(comparing(), alarm());
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  ASSERT_TRUE(record.unconfirmed());
  EXPECT_EQ(record.unconfirmed()->why, Why::kPastNotOver);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(JobPastAlarms, W6_APastThatCannotBeFetchedIsNoVerdict) {
  place_that_slowed_down(1000, 400);
  aws_.refuse("GetMetricData", testing::kDenied);
  const Record record = handle(comparing(), alarm());
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_FALSE(aws_.wrote());
  EXPECT_EQ(kind(handle(comparing(), alarm()), 1), Kind::kStopped);
}

}  // namespace
}  // namespace trainwarden::actions::job_past_alarms_test
