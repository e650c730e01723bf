// An alarm's way through confirmation, the look before acting, and the stop, against scripted
// answers.
#include "handlers/actions/alarms/confirm_alarm.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr long kMinute = 1'783'000'560;  // 2026-07-02T13:56:00Z
constexpr long kNow = kMinute + 40;

constexpr const char* kWatches = R"(
  "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300, "periods": 3,
               "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
  "heartbeat": {"metric": "train:loss", "source": "algorithm", "statistic": "SampleCount",
                "period_seconds": 300, "periods": 3, "below": 1, "missing": "breaching"})";
constexpr const char* kStopIdle =
    R"({"name": "stop-idle", "match": {"alarm": {"watch": ["gpu-idle", "heartbeat"], "state": ["ALARM"]}},
        "actions": ["stop"]})";
constexpr const char* kWatchGpus =
    R"({"name": "watch-gpus", "match": {"event": {"trigger": ["alarm"]}}, "actions": [{"watch": ["gpu-idle"]}]})";

// Starting an hour ago; then Training since so many seconds.
std::string describe(long training_for, const std::string& secondary = "Training",
                     const std::string& status = "InProgress", int hosts = 2) {
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1",)"
      R"("TrainingJobStatus":"{}","SecondaryStatus":"{}","CreationTime":{},)"
      R"("ResourceConfig":{{"InstanceType":"ml.g5.12xlarge","InstanceCount":{}}},)"
      R"("SecondaryStatusTransitions":[{{"Status":"Starting","StartTime":{},"EndTime":{}}},{{"Status":"{}","StartTime":{}}}]}})",
      status, secondary, kNow - 9000, hosts, kNow - 9000, kNow - training_for, secondary,
      kNow - training_for);
}

// The values of three periods of five minutes, for each host.
std::string data(const std::vector<std::string>& values, int first = 1, long end = kMinute) {
  std::string results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string times =
        values[i].empty() ? "" : fmt::format("{},{},{}", end - 900, end - 600, end - 300);
    results +=
        fmt::format(R"({}{{"Id":"h{}","Timestamps":[{}],"Values":[{}],"StatusCode":"Complete"}})",
                    i > 0 ? "," : "", static_cast<int>(i) + first, times, values[i]);
  }
  return R"({"MetricDataResults":[)" + results + "]}";
}

class ConfirmAlarmTest : public ScriptedAws {
 protected:
  ConfirmAlarmTest() : ScriptedAws(sys_millis(milliseconds(kNow * 1000))) {}

  void with_policy(const std::string& rules, const std::string& mode,
                   const std::function<void(const ActivePolicy&, const Apis&)>& run) {
    const auto policy = rules::parse_policy(
        fmt::format(R"({{"version": 1, "mode": "{}", "watches": {{{}}}, "rules": [{}]}})", mode,
                    kWatches, rules));
    EXPECT_TRUE(policy) << policy.error().message;
    const aws::CallContext context{clock_.in(seconds(60)), "", nullptr};
    const Apis apis(client_, clock_, context, config_);
    run({*policy, rules::Mode::kEnforce}, apis);
  }
  Record handle(const std::string& rules = kStopIdle, const std::string& mode = "enforce") {
    Record record;
    with_policy(rules, mode, [&](const ActivePolicy& at, const Apis& apis) {
      record = seen(handle_job(at, job_, event_, apis));
    });
    return record;
  }
  static std::string result(const Record& record) {
    return record.decisions.empty() ? "(none)" : rules::text(record.decisions[0].actions[0].result);
  }
  static std::string unconfirmed(const Record& record) {
    return record.unconfirmed ? rules::text(*record.unconfirmed) : "(confirmed or measured)";
  }
  void expect_describe(const std::string& answer) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, answer);
  }
  void expect_data(const std::string& answer) {
    transport_.expect("GraniteServiceVersion20100801.GetMetricData", 200, answer);
  }
  void expect_stop() {
    transport_.expect("SageMaker.Search", 200, R"({"Results":[]})")
        .expect("SageMaker.AddTags", 200)
        .expect("SageMaker.StopTrainingJob", 200, "");
  }

  JobRef job_{*aws::JobName::parse("job-1"), ""};
  rules::JobEvent event_{
      .trigger = rules::Trigger::kAlarm,
      .job_name = "job-1",
      .training_job_status = {},
      .secondary_status = {},
      .creation_time = {},
      .alarm = rules::AlarmEvent{"trainwarden/job-1/gpu-idle", "gpu-idle", "ALARM"}};
};

TEST_F(ConfirmAlarmTest, W4_AConfirmedBreachIsStoppedAndTheReasonSaysWhatWasMeasured) {
  expect_describe(describe(7200));
  expect_data(data({"0,0.5,4", "0,0,0"}));
  expect_describe(describe(7200));  // the look before acting (A1)
  expect_stop();
  const Record record = handle();
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(record.measured,
            "Maximum GPUUtilization of job-1 at most 4 in 3 of 3 periods of 300 s: "
            "algo-1: 4, 0.5, 0; algo-2: 0, 0, 0");
  EXPECT_NE(transport_.sent.at(4).body.find("Maximum GPUUtilization of job-1 at most 4"),
            std::string::npos)
      << transport_.sent.at(4).body;
  EXPECT_FALSE(record.failure());
  // The last six periods up to the last full minute.
  EXPECT_NE(transport_.sent.at(1).body.find(
                fmt::format(R"("StartTime":{},"EndTime":{})", kMinute - 1800, kMinute)),
            std::string::npos)
      << transport_.sent.at(1).body;
}

TEST_F(ConfirmAlarmTest, W4_AHostThatIsBusyByNowRefutes) {
  for (const char* mode : {"observe", "notify", "enforce"}) {
    expect_describe(describe(7200));
    expect_data(data({"0,0.5,4", "0,0,390"}));
    const Record record = handle(kStopIdle, mode);
    EXPECT_TRUE(record.decisions.empty());
    EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
    EXPECT_TRUE(record.measured.ends_with("algo-2: 2 datapoints breach, 3 must (390, 0, 0)"))
        << record.measured;
    EXPECT_FALSE(record.failure());
  }
}

TEST_F(ConfirmAlarmTest, W4_AJobThatDoesNotTrainCostsNoMetrics) {
  for (const char* secondary : {"Downloading", "Uploading", "Interrupted", "Restarting"}) {
    expect_describe(describe(7200, secondary));
    const Record record = handle();
    EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
    EXPECT_EQ(unconfirmed(record),
              fmt::format("the job is not training: it is InProgress/{}", secondary));
  }
  expect_describe(describe(1799));
  EXPECT_NE(unconfirmed(handle()).find("the warm-up of 1800 s is not over"), std::string::npos);
}

TEST_F(ConfirmAlarmTest, W4_WhatCannotBeReadIsNoVerdictAndTheMessageComesAgain) {
  transport_.expect("SageMaker.DescribeTrainingJob", 400,
                    R"({"__type":"AccessDeniedException","message":"no"})");
  Record record = handle();
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_TRUE(record.decisions.empty());

  expect_describe(describe(7200));
  transport_.expect("GetMetricData", 400, R"({"__type":"AccessDeniedException","message":"no"})");
  EXPECT_TRUE(handle().failure());

  expect_describe(describe(7200));  // one host's series is missing from the answer
  expect_data(data({"0,0,0"}));
  EXPECT_TRUE(handle().failure());

  expect_describe(describe(7200));  // a host's series is not whole
  expect_data(
      R"({"MetricDataResults":[{"Id":"h1","Timestamps":[],"Values":[],"StatusCode":"InternalError"},
                  {"Id":"h2","Timestamps":[],"Values":[],"StatusCode":"Complete"}]})");
  EXPECT_TRUE(handle().failure());
}

TEST_F(ConfirmAlarmTest, W4_AJobInterruptedBetweenConfirmationAndStopIsLeftAlone) {
  expect_describe(describe(7200));
  expect_data(data({"0,0,0", "0,0,0"}));
  expect_describe(describe(1, "Interrupted"));
  const Record record = handle();
  EXPECT_EQ(result(record), "not done: the job is not training: it is InProgress/Interrupted");
  EXPECT_FALSE(record.failure());
}

TEST_F(ConfirmAlarmTest, W4_AJobThatBeganAnewBetweenConfirmationAndStopIsLeftAlone) {
  expect_describe(describe(7200));
  expect_data(data({"0,0,0", "0,0,0"}));
  expect_describe(describe(1));
  EXPECT_NE(result(handle()).find("not done: the warm-up of 1800 s is not over"),
            std::string::npos);
}

TEST_F(ConfirmAlarmTest, W4_AWatchThatThePolicyNoLongerHasConfirmsNothing) {
  event_.alarm = rules::AlarmEvent{"trainwarden/job-1/old", "old", "ALARM"};
  const Record record =
      handle(R"({"name": "any", "match": {"alarm": {"state": ["ALARM"]}}, "actions": ["stop"]})");
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_EQ(unconfirmed(record), "the policy has no watch `old`");
  EXPECT_FALSE(record.failure());
}

TEST_F(ConfirmAlarmTest, W4_NothingIsAskedWhereNoRuleWantsToAct) {
  const Record record = handle(kWatchGpus);
  EXPECT_EQ(result(record), "left to the state function");
  event_.alarm->watch = "heartbeat";
  EXPECT_TRUE(
      handle(
          R"({"name": "other", "match": {"alarm": {"watch": ["gpu-idle"]}}, "actions": ["stop"]})")
          .decisions.empty());
}

TEST_F(ConfirmAlarmTest, F1_AJobThatIsGoneIsSuccess) {
  transport_.expect(
      "SageMaker.DescribeTrainingJob", 400,
      R"({"__type":"ValidationException","message":"Requested resource not found."})");
  const Record record = handle();
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
  EXPECT_FALSE(record.failure());
}

TEST_F(ConfirmAlarmTest, W4_SilenceOfAnAlgorithmCountsOnlyAfterItsFirstDatapoint) {
  event_.alarm->watch = "heartbeat";
  expect_describe(describe(7200));
  expect_data(data({""}));
  // The history: over the job's life, 9,000 s in periods of a minute.
  transport_.expect(R"("Period":60,"Stat":"SampleCount")", 200, data({""}));
  EXPECT_EQ(handle().conclusion, Conclusion::kNotConfirmed);

  expect_describe(describe(7200));
  expect_data(data({""}));
  transport_.expect(fmt::format(R"("StartTime":{},)", (kNow - 9000) / 60 * 60), 200,
                    data({"1,2,1"}, 1, kNow - 3600));
  expect_describe(describe(7200));
  expect_stop();
  EXPECT_EQ(result(handle()), "stopped");
}

TEST_F(ConfirmAlarmTest, W4_MoreThanFiveHundredHostsAreAskedForInSeveralCalls) {
  expect_describe(describe(7200, "Training", "InProgress", 501));
  expect_data(data(std::vector<std::string>(500, "0,0,0")));
  expect_data(data({"0,0,100"}, 501));
  const Record record = handle();
  EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  EXPECT_NE(record.measured.find("algo-501: 2 datapoints breach"), std::string::npos);
}

// A sweep considers many jobs before it acts on one, and counts those that it would act on (P7).

TEST_F(ConfirmAlarmTest, S1_AnUnconfirmedAlarmLeavesNothingToDo) {
  expect_describe(describe(7200));
  expect_data(data({"0,0,0", "0,0,390"}));
  with_policy(kStopIdle, "enforce", [&](const ActivePolicy& rules, const Apis& apis) {
    const Considered considered = consider(rules, job_, event_, apis);
    EXPECT_TRUE(considered.evaluation.decisions.empty());
    EXPECT_EQ(considered.record.conclusion, Conclusion::kNotConfirmed);
  });
}

TEST_F(ConfirmAlarmTest, S1_AConfirmationThatHasGrownOldIsMadeAnew) {
  expect_describe(describe(7200));
  expect_data(data({"0,0,0", "0,0,0"}));
  with_policy(kStopIdle, "enforce", [&](const ActivePolicy& rules, const Apis& apis) {
    Considered considered = consider(rules, job_, event_, apis);
    ASSERT_EQ(considered.evaluation.decisions.size(), 1U);
    clock_.sleep_for(seconds(61));
    expect_describe(describe(7261));
    expect_data(data({"0,0,0", "0,0,390"}, 1, kMinute + 60));
    const Record record = seen(carry_out(rules, std::move(considered), apis));
    EXPECT_TRUE(record.decisions.empty());
    EXPECT_EQ(record.conclusion, Conclusion::kNotConfirmed);
  });
}

TEST_F(ConfirmAlarmTest, R1_TheRecordSaysWhatWasMeasured) {
  expect_describe(describe(7200));
  expect_data(data({"0,0.5,4", "0,0,390"}));
  const json::Document record = handle().to_json();
  EXPECT_EQ(record.root().find("trigger")->as_string(), "alarm");
  EXPECT_EQ(record.root().find("conclusion")->as_string(), "not confirmed");
  EXPECT_NE(record.root().find("measured")->as_string().find("algo-2"), std::string_view::npos);
}

}  // namespace
}  // namespace trainwarden::actions
