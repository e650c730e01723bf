// Whether anything can be confirmed at all, and what CloudWatch is asked for then.
#include "handlers/rules/job/training_segment.h"
#include "tests/handlers/rules/alarms/confirmation_support.h"

namespace trainwarden::rules::confirmation::confirmation_plan_test {
namespace {

using test::doc;

TEST(ConfirmationPlan, W4_OnlyAJobThatTrainsIsConfirmedOn) {
  for (const char* secondary : {"Starting", "Pending", "Downloading", "Interrupted", "Uploading",
                                "Updating", "Restarting", "SomethingNew"})
    EXPECT_EQ(restart_refusal(gpu_idle(), {.secondary = secondary}),
              fmt::format("the job is not training: it is InProgress/{}", secondary));
  for (const char* status : {"Completed", "Failed", "Stopping", "Stopped", "Deleting"})
    EXPECT_EQ(restart_refusal(gpu_idle(), {.status = status}),
              fmt::format("the job is not training: it is {}/Training", status));
  EXPECT_EQ(restart_refusal(gpu_idle(), {}), "");
}

TEST(ConfirmationPlan, W4_AnAlarmAsksForSomethingOnlyInAlarmAndOfAWatchOfThePolicy) {
  const Policy policy = test::policy(
      R"({"version": 1, "watches": {"idle": {"metric": "GPUUtilization", "statistic": "Maximum",
                                             "period_seconds": 300, "periods": 3, "at_most": 1}},
          "rules": [{"name": "r", "match": {"alarm": {"state": ["ALARM"]}}, "actions": ["stop"]}]})");
  const auto found = watch_of({"trainwarden/train-1/idle", "idle", "ALARM"}, policy);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->name, "idle");
  for (const char* const state : {"OK", "INSUFFICIENT_DATA"})
    EXPECT_EQ(watch_of({"trainwarden/train-1/idle", "idle", state}, policy).error().why,
              Why::kAlarmState);
  const auto unknown = watch_of({"trainwarden/train-1/old", "old", "ALARM"}, policy);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().why, Why::kNoWatch);
  EXPECT_EQ(unknown.error().name, "old");
}

TEST(ConfirmationPlan, W4_TheWarmUpCountsFromTheCurrentSegment) {
  Watch watch = gpu_idle();  // 1,800 s
  const auto since = [](int minute) { return Job{.transitions = {{"Training", minute}}}; };
  EXPECT_EQ(restart_refusal(watch, since(-29)),
            "the warm-up of 1800 s is not over: training since 2026-07-02T13:27:00Z");
  EXPECT_EQ(restart_refusal(watch, since(-30)), "");
  watch.warmup_seconds = 1801;  // 40 s of the next minute have passed
  EXPECT_EQ(restart_refusal(watch, since(-30)), "");
  watch.warmup_seconds = 1841;
  EXPECT_NE(restart_refusal(watch, since(-30)), "");
  // Trained for hours, was interrupted, and trains again for ten minutes.
  EXPECT_NE(restart_refusal(gpu_idle(), {.transitions = {{"Training", -280},
                                                         {"Interrupted", -20},
                                                         {"Starting", -15},
                                                         {"Training", -10}}}),
            "");
}

TEST(ConfirmationPlan, W4_ASegmentShorterThanWhatMustBreachIsTooYoung) {
  Watch watch = gpu_idle();
  watch.warmup_seconds = 0;
  EXPECT_EQ(restart_refusal(watch, {.transitions = {{"Training", -14}}}),
            "the current Training segment is too young: since 2026-07-02T13:42:00Z only 2 of the 3 "
            "periods of 300 s that must breach are over");
  EXPECT_EQ(restart_refusal(watch, {.transitions = {{"Training", -15}}}), "");
  watch.datapoints = 2;
  EXPECT_EQ(restart_refusal(watch, {.transitions = {{"Training", -14}}}), "");
  EXPECT_NE(restart_refusal(watch, {.transitions = {{"Training", 5}}}),
            "");  // a clock that is ahead
}

TEST(ConfirmationPlan, W4_ASegmentThatCannotBeReadConfirmsNothing) {
  const auto with = [](const std::string& transitions) {
    const json::Document job = doc(
        R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "ResourceConfig":
            {"InstanceType": "ml.g5.12xlarge", "InstanceCount": 1}, "SecondaryStatusTransitions": )" +
        transitions + "}");
    const auto reason = why_not_confirmable(gpu_idle(), read_training_job(job.root()), kNow);
    return reason ? text(*reason) : std::string();
  };
  EXPECT_EQ(with(R"([{"Status": "Training", "StartTime": 1782900000}])"), "");
  EXPECT_EQ(
      with(R"([{"Status": "Training", "StartTime": "2026-07-01T10:00:00Z", "EndTime": null}])"),
      "");
  for (
      const char* transitions : {
          "null",
          "[]",
          "7",
          R"([{"Status": "Training"}])",
          R"([{"Status": "Training", "StartTime": "yesterday"}])",
          R"([{"Status": "Training", "StartTime": 1782900000, "EndTime": 1782900500}])",
          R"([{"Status": "Training", "StartTime": 1782900000}, {"Status": "Interrupted", "StartTime": 1782900500}])",
          R"([{"Status": "Interrupted", "StartTime": 1782900500}, {"Status": "Training", "StartTime": 1782900000}])",
          R"([{"Status": "Downloading"}, {"Status": "Training", "StartTime": 1782900000}])",
      })
    EXPECT_TRUE(with(transitions).starts_with("when the current Training began is not known"))
        << transitions << with(transitions);
}

TEST(ConfirmationPlan, W1_AWatchThatDoesNotFitTheMachinesConfirmsNothing) {
  EXPECT_EQ(restart_refusal(gpu_idle(),
                            {.config = R"({"InstanceType": "ml.m5.xlarge", "InstanceCount": 1})"}),
            "the job's machines have no GPU: no GPUUtilization to watch");
}

// What is asked for.

TEST(ConfirmationPlan, W4_EveryHostIsAskedForBeyondTenToo) {
  const auto requests =
      planned(gpu_idle(), {.config = R"({"InstanceType": "ml.g5.12xlarge", "InstanceCount": 11})"})
          .requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].hosts.size(), 11U);
  EXPECT_EQ(requests[0].end, at(0));
  EXPECT_EQ(requests[0].begin, at(-30));  // three periods, and three more for gaps
  const json::Value last = [&] {
    auto found = requests[0].queries.root();
    for (const json::Value query : requests[0].queries.root().elements()) found = query;
    return found;
  }();
  EXPECT_EQ(
      json::to_text(last),
      R"({"Id":"h11","MetricStat":{"Metric":{"Namespace":"/aws/sagemaker/TrainingJobs",)"
      R"("MetricName":"GPUUtilization","Dimensions":[{"Name":"Host","Value":"train-1/algo-11"}]},)"
      R"("Period":300,"Stat":"Maximum"},"ReturnData":true})");
}

TEST(ConfirmationPlan, W4_ACallTakesFiveHundredQueries) {
  const auto requests =
      planned(gpu_idle(),
              {.config = R"({"InstanceType": "ml.g5.12xlarge", "InstanceCount": 1001})"})
          .requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].queries.root().size(), 500U);
  EXPECT_EQ(requests[1].queries.root().size(), 500U);
  EXPECT_EQ(requests[2].queries.root().size(), 1U);
  EXPECT_EQ(requests[2].hosts, (std::vector<std::int64_t>{1001}));
}

TEST(ConfirmationPlan, W4_NothingBeforeTheSegmentIsAskedFor) {
  // 32 minutes hold six whole periods of five minutes; 22 hold four.
  Watch watch = gpu_idle();
  watch.warmup_seconds = 0;
  EXPECT_EQ(planned(watch, {.transitions = {{"Training", -32}}}).requests()[0].begin, at(-30));
  EXPECT_EQ(planned(watch, {.transitions = {{"Training", -22}}}).requests()[0].begin, at(-20));
}

TEST(ConfirmationPlan, W4_FirstAsksForOneHostAndAnAlgorithmForItsJob) {
  Watch watch = gpu_idle();
  watch.hosts = Watch::Hosts::kFirst;
  EXPECT_EQ(planned(watch).requests()[0].hosts, (std::vector<std::int64_t>{1}));
  const auto requests = planned(heartbeat()).requests();
  EXPECT_EQ(
      json::to_text(*requests[0].queries.root().elements().begin()),
      R"({"Id":"h1","MetricStat":{"Metric":{"Namespace":"/aws/sagemaker/TrainingJobs",)"
      R"("MetricName":"train:loss","Dimensions":[{"Name":"TrainingJobName","Value":"train-1"}]},)"
      R"("Period":60,"Stat":"SampleCount"},"ReturnData":true})");
  // Silence counts: the window of ten minutes ends two minutes ago, and what came since is read
  // too.
  EXPECT_EQ(requests[0].begin, at(-12));
  EXPECT_EQ(requests[0].end, at(0));
}

}  // namespace
}  // namespace trainwarden::rules::confirmation::confirmation_plan_test
