// An alarm's way through confirmation, the look before acting, and the stop (policy.md W4).
#include "handlers/actions/alarms/confirm_alarm.h"

#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::confirm_alarm_test {
namespace {

constexpr const char* kStopIdle =
    R"({"name": "stop-idle", "match": {"alarm": {"watch": ["gpu-idle", "heartbeat"], "state": ["ALARM"]}},
        "actions": ["stop"]})";
constexpr const char* kWatchGpus =
    R"({"name": "watch-gpus", "match": {"event": {"trigger": ["alarm"]}}, "actions": [{"watch": ["gpu-idle"]}]})";

class ConfirmAlarmTest : public ActionTest {
 protected:
  ConfirmAlarmTest() : ActionTest(kMinute + seconds(40)) {
    powers_ = {};  // the alarm function's
  }

  static rules::Policy watching(const std::string& rules = kStopIdle,
                                const std::string& mode = "enforce") {
    return policy(rules, mode, R"("watches": {
        "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
                     "periods": 3, "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
        "heartbeat": {"metric": "train:loss", "source": "algorithm", "statistic": "SampleCount",
                      "period_seconds": 300, "periods": 3, "below": 1, "missing": "breaching"}},)");
  }
  // Training for two hours, on two hosts.
  void place_training(seconds since = hours(2), int hosts = 2) {
    aws_.place({.count = hosts, .age = hours(3), .since = since});
  }
  void interrupt(const std::string& then = "Interrupted") {
    aws_.enter("job-1", "Interrupted");
    if (then != "Interrupted") aws_.enter("job-1", then);
  }
  void put(const std::string& metric, const std::string& dimension, const std::string& value,
           double number, sys_millis at) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"{}",)"
            R"("Dimensions":[{{"Name":"{}","Value":"{}"}}],"Timestamp":{},"Value":{}}}]}})",
            metric, dimension, value, at.time_since_epoch().count() / 1000, number)));
  }
  // What a host's GPUs did in the last periods, the newest last.
  void measure(int host, const std::vector<double>& periods, sys_millis end = kMinute) {
    for (std::size_t i = 0; i < periods.size(); ++i)
      put("GPUUtilization", "Host", fmt::format("job-1/algo-{}", host), periods[i],
          end - seconds(300) * static_cast<long>(periods.size() - i));
  }
  void measure_idle() {
    measure(1, {0, 0.5, 4});
    measure(2, {0, 0, 0});
  }

  // Another job's algorithm, whose metric arrives all the while: the way is open.
  void let_another_job_speak(seconds until = seconds(0)) {
    for (seconds at = -hours(1); at < until; at += minutes(5))
      put("train:loss", "TrainingJobName", "job-2", 0.5, kMinute + at);
  }
  void fall_silent() { put("train:loss", "TrainingJobName", "job-1", 0.7, kMinute - hours(1)); }

  static rules::JobEvent alarm(const std::string& watch = "gpu-idle") {
    return {.trigger = rules::Trigger::kAlarm,
            .job_name = "job-1",
            .alarm = rules::AlarmEvent{"trainwarden/job-1/" + watch, watch, "ALARM"}};
  }
  Record fire(const std::string& watch = "gpu-idle") { return handle(watching(), alarm(watch)); }
  static bool unconfirmed(const Record& record, Why why) {
    return record.conclusion == Conclusion::kNotConfirmed && record.unconfirmed() != nullptr &&
           record.unconfirmed()->why == why;
  }

  static constexpr sys_millis kMinute{seconds(1'783'000'500)};  // 2026-07-02T13:55:00Z
};

TEST_F(ConfirmAlarmTest, W4_AConfirmedBreachIsStoppedAndTheReasonSaysWhatWasMeasured) {
  place_training();
  measure_idle();
  const Record record = fire();
  EXPECT_EQ(kind(record), Kind::kStopped);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_EQ(
      measured(record),
      "Maximum GPUUtilization of job-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods of "
      "300 s: algo-1: 4, 0.5, 0 (1, 0.125, 0 per GPU); algo-2: 0, 0, 0 (0, 0, 0 per GPU)");
  EXPECT_NE(aws_.tag("job-1", "trainwarden:reason").find("GPUUtilization of job-1 at most 4"),
            std::string::npos);
}

TEST_F(ConfirmAlarmTest, W4_AHostThatIsBusyByNowRefutes) {
  place_training();
  measure(1, {0, 0.5, 4});
  measure(2, {0, 0, 390});
  for (const char* mode : {"observe", "notify", "enforce"}) {
    const Record record = handle(watching(kStopIdle, mode), alarm());
    EXPECT_TRUE(record.decisions.empty());
    EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
    EXPECT_NE(measured(record).find("(390, 0, 0)"), std::string::npos) << measured(record);
    EXPECT_FALSE(record.failure());
  }
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(ConfirmAlarmTest, W4_AJobThatDoesNotTrainCostsNoMetrics) {
  measure_idle();
  for (const char* secondary : {"Downloading", "Uploading", "Interrupted", "Restarting"}) {
    aws_.place({.secondary = secondary, .count = 2});
    EXPECT_TRUE(unconfirmed(fire(), Why::kNotTraining)) << secondary;
  }
  place_training(seconds(1799));
  EXPECT_TRUE(unconfirmed(fire(), Why::kWarmUp));
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
}

TEST_F(ConfirmAlarmTest, W4_WhatCannotBeReadIsNoVerdictAndTheMessageComesAgain) {
  place_training();
  measure_idle();
  aws_.refuse("DescribeTrainingJob", kDenied);
  const Record record = fire();
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_TRUE(record.decisions.empty());

  aws_.refuse("GetMetricData", kDenied);
  EXPECT_TRUE(fire().failure());

  // One host's series is missing from the answer; one is not whole.
  for (const char* second :
       {"", R"(,{"Id":"h2","Timestamps":[],"Values":[],"StatusCode":"InternalError"})"}) {
    aws_.answer_with(
        "GetMetricData",
        fmt::format(R"({{"MetricDataResults":[{{"Id":"h1","Timestamps":[{},{},{}],)"
                    R"("Values":[0,0,0],"StatusCode":"Complete"}}{}]}})",
                    1'783'000'500 - 900, 1'783'000'500 - 600, 1'783'000'500 - 300, second));
    EXPECT_TRUE(fire().failure());
  }
  EXPECT_FALSE(aws_.wrote());
  EXPECT_EQ(kind(fire()), Kind::kStopped);
}

TEST_F(ConfirmAlarmTest, W4_AJobInterruptedBetweenConfirmationAndStopIsLeftAlone) {
  for (const auto& [then, why] :
       {std::pair{"Interrupted", Why::kNotTraining}, std::pair{"Training", Why::kWarmUp}}) {
    place_training();
    measure_idle();
    aws_.before("DescribeTrainingJob", [&, then = then] { interrupt(then); }, 2);
    const Record record = fire();
    EXPECT_EQ(kind(record), Kind::kNotDone);
    EXPECT_TRUE(because(record, why));
    EXPECT_FALSE(record.failure());
  }
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(ConfirmAlarmTest, W4_AWatchThatThePolicyNoLongerHasConfirmsNothing) {
  place_training();
  const Record record = handle(
      watching(R"({"name": "any", "match": {"alarm": {"state": ["ALARM"]}}, "actions": ["stop"]})"),
      alarm("old"));
  EXPECT_TRUE(unconfirmed(record, Why::kNoWatch));
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(ConfirmAlarmTest, W4_NothingIsAskedWhereNoRuleWantsToAct) {
  place_training();
  EXPECT_EQ(kind(handle(watching(kWatchGpus), alarm())), Kind::kLeft);
  EXPECT_TRUE(
      handle(
          watching(
              R"({"name": "other", "match": {"alarm": {"watch": ["gpu-idle"]}}, "actions": ["stop"]})"),
          alarm("heartbeat"))
          .decisions.empty());
  EXPECT_TRUE(aws_.calls.empty());
}

TEST_F(ConfirmAlarmTest, F1_AJobThatIsGoneIsSuccess) {
  const Record record = fire();
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
  EXPECT_FALSE(record.failure());
}

TEST_F(ConfirmAlarmTest, W4_SilenceOfAnAlgorithmCountsOnlyAfterItsFirstDatapoint) {
  place_training();
  let_another_job_speak();
  EXPECT_EQ(fire("heartbeat").conclusion, Conclusion::kNotConfirmed);
  EXPECT_FALSE(aws_.wrote());
  fall_silent();
  EXPECT_NE(fire("heartbeat").conclusion, Conclusion::kNotConfirmed);
}

TEST_F(ConfirmAlarmTest, P7_WhoFallsSilentIsSeenFirstAndStoppedByALookTenMinutesLater) {
  place_training();
  fall_silent();
  let_another_job_speak(minutes(15));
  for (const minutes later : {minutes(0), minutes(9)}) {
    aws_.pass(later);
    const Record record = fire("heartbeat");
    EXPECT_EQ(kind(record), Kind::kHeldBack);
    EXPECT_TRUE(because(record, Why::kSilentUntilRecheck));
    EXPECT_FALSE(record.failure());
  }
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  aws_.pass(minutes(1));
  EXPECT_EQ(kind(fire("heartbeat")), Kind::kStopped);
}

// Neither now nor by a later look, and not even one job alone; it does not count as one that fell
// silent either.
TEST_F(ConfirmAlarmTest, W4_AMetricsOutageStopsNone) {
  place_training();
  fall_silent();
  for (int look = 0; look < 3; ++look) {
    const Record record = fire("heartbeat");
    EXPECT_TRUE(unconfirmed(record, Why::kNoMetricArrives));
    EXPECT_TRUE(record.blind);
    EXPECT_FALSE(record.failure());
    aws_.pass(minutes(10));
  }
  let_another_job_speak(minutes(35));  // it is over, and this job's loss is late
  EXPECT_EQ(kind(fire("heartbeat")), Kind::kHeldBack);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(ConfirmAlarmTest, W4_TheLogIsReadOnlyWhereSilenceWouldConvict) {
  place_training();
  measure_idle();
  EXPECT_EQ(kind(fire()), Kind::kStopped);
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 1);
  place_training();
  fall_silent();
  fire("heartbeat");
  EXPECT_EQ(aws_.count("FilterLogEvents"), 1);
}

TEST_F(ConfirmAlarmTest, W4_AWitnessThatCannotBeAskedIsNoVerdict) {
  place_training();
  fall_silent();
  aws_.refuse("FilterLogEvents", kDenied);
  const Record record = fire("heartbeat");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_FALSE(record.blind);
}

// Issue 39.1: what was not read may hold the metric. Nothing is stopped, and nothing comes again.
TEST_F(ConfirmAlarmTest, W4_Issue39_1_OfALongLogNoMoreThan20MBIsRead) {
  aws_.place({.count = 2,
              .age = hours(3),
              .since = hours(2),
              .more = R"x(,"AlgorithmSpecification":{"TrainingImage":"i","TrainingInputMode":"File",
                          "MetricDefinitions":[{"Name":"train:loss","Regex":"loss: ([0-9.]*)"}]})x"});
  fall_silent();
  std::string events;
  for (int i = 0; i < 100; ++i)
    events += fmt::format(R"({}{{"logStreamName":"job-1/algo-1-1","timestamp":{},"message":"{}"}})",
                          i == 0 ? "" : ",", 1'783'000'000'000 + i, std::string(10'000, 'x'));
  for (int i = 0; i < 40; ++i)
    aws_.answer_with("FilterLogEvents",
                     fmt::format(R"({{"events":[{}],"nextToken":"{}"}})", events, 1000 + i));
  const Record record = fire("heartbeat");
  EXPECT_GT(aws_.count("FilterLogEvents"), 1);
  EXPECT_LE(aws_.count("FilterLogEvents"), 21);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
}

constexpr const char* kTellBlind =
    R"({"name": "tell-blind", "match": {"alarm": {"watch": ["heartbeat"], "state": ["BLIND"]}},
        "actions": ["stop", "notify"]})";

TEST_F(ConfirmAlarmTest, W4_WhoCannotBeHeardIsToldOfAndNotStopped) {
  place_training();
  fall_silent();
  const Record record = handle(watching(kTellBlind), alarm("heartbeat"));
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(kind(record), Kind::kNotified);
  ASSERT_EQ(record.dropped.size(), 1U);
  EXPECT_EQ(record.dropped[0].action, rules::ActionKind::kStop);
  EXPECT_TRUE(told("no metric of this job arrives"));
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
  EXPECT_FALSE(record.failure());
}

TEST_F(ConfirmAlarmTest, W4_WhoIsHeardIsNotToldOf) {
  place_training();
  fall_silent();
  let_another_job_speak();
  EXPECT_TRUE(handle(watching(kTellBlind), alarm("heartbeat")).decisions.empty());
  EXPECT_TRUE(aws_.notices().empty());
  // Rules that do not name the state hear nothing of it.
  place_training();
  EXPECT_TRUE(
      handle(
          watching(
              R"({"name": "any", "match": {"alarm": {"watch": ["heartbeat"]}}, "actions": ["notify"]})"),
          alarm("gpu-idle"))
          .decisions.empty());
}

// An idle job is measured, not silent.
TEST_F(ConfirmAlarmTest, P7_WhatIsMeasuredIsStoppedAtOnce) {
  place_training();
  measure_idle();
  EXPECT_EQ(kind(fire()), Kind::kStopped);
}

TEST_F(ConfirmAlarmTest, W4_MoreThanFiveHundredHostsAreAskedForInSeveralCalls) {
  place_training(hours(2), 501);
  for (int host = 1; host <= 500; ++host) measure(host, {0, 0, 0});
  measure(501, {0, 0, 100});
  const Record record = fire();
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_NE(measured(record).find("algo-501: "), std::string::npos);
  EXPECT_EQ(aws_.count("GetMetricData"), 2);
}

// A sweep considers many jobs before it acts on one, and counts those that it would act on (P7).
TEST_F(ConfirmAlarmTest, S1_AConfirmationThatHasGrownOldIsMadeAnew) {
  place_training();
  measure_idle();
  const rules::Policy with = watching();
  const ActivePolicy rules{with, rules::Mode::kEnforce};
  const aws::CallContext context{clock_.in(left_ * 2), "", nullptr};
  const Apis apis(client_, clock_, context, config_, powers_);
  const JobRef job{*aws::JobName::parse("job-1"), ""};
  Considered considered = consider(rules, job, alarm(), apis);
  ASSERT_EQ(considered.evaluation.decisions.size(), 1U);
  EXPECT_FALSE(aws_.wrote());

  aws_.pass(minutes(5));
  measure(2, {390}, kMinute + minutes(5));
  const Record record = carry_out(rules, std::move(considered), apis);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_FALSE(aws_.wrote());
  EXPECT_TRUE(consider(rules, job, alarm(), apis).evaluation.decisions.empty());
}

TEST_F(ConfirmAlarmTest, R1_TheRecordSaysWhatWasMeasured) {
  place_training();
  measure(1, {0, 0.5, 4});
  measure(2, {0, 0, 390});
  const json::Document record = fire().to_json();
  EXPECT_EQ(record.root().find("trigger")->as_string(), "alarm");
  EXPECT_EQ(record.root().find("conclusion")->as_string(), "not confirmed");
  EXPECT_NE(record.root().find("measured")->as_string().find("algo-2"), std::string_view::npos);
}

}  // namespace
}  // namespace trainwarden::actions::confirm_alarm_test
