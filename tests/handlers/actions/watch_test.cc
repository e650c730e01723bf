// The life cycle of alarms (policy.md W2, W3), against scripted answers.
#include "handlers/actions/watch.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/actions/alarms.h"
#include "handlers/actions/handle_job.h"
#include "handlers/rules/alarm_plan.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualClock;
using testing::ScriptedTransport;

constexpr long kNow = 1'783'000'213;
constexpr long kCreated = kNow - 7'200;
constexpr long kSegment = kNow - 60;  // the begin of the current Training segment
constexpr const char* kArn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";
constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";
constexpr const char* kDenied = R"({"__type":"AccessDeniedException","message":"not authorized"})";
constexpr const char* kNotFound =
    R"({"__type":"ValidationException","message":"Requested resource not found."})";

constexpr const char* kWatches = R"("watches": {
  "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
               "periods": 3, "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
  "disk": {"metric": "DiskUtilization", "statistic": "Maximum", "period_seconds": 60, "periods": 5,
           "above": 95, "hosts": "any"}})";
constexpr const char* kWatchGpus =
    R"({"name": "watch-gpus", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle"]}]})";
constexpr const char* kWatchBoth =
    R"({"name": "watch-both", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle", "disk"]}]})";
constexpr const char* kStopP5 =
    R"({"name": "no-p5", "match": {"job": {"ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}}},
        "actions": ["stop"]})";

rules::Policy policy(const std::string& rules, const std::string& mode = "enforce",
                     const std::string& watches = kWatches) {
  auto parsed = rules::parse_policy(fmt::format(R"({{"version":1,"mode":"{}",{}{}"rules":[{}]}})",
                                                mode, watches, watches.empty() ? "" : ",", rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

struct Job {
  std::string status = "InProgress";
  std::string secondary = "Training";
  std::string type = "ml.g5.12xlarge";
  int count = 1;
  long created = kCreated;
};

// Interrupted once, and training again since kSegment.
std::string describe(const Job& job = {}) {
  const bool training = job.secondary == "Training";
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}",
          "SecondaryStatus":"{}","CreationTime":{},
          "ResourceConfig":{{"InstanceType":"{}","InstanceCount":{}}},
          "SecondaryStatusTransitions":[{{"Status":"Training","StartTime":{},"EndTime":{}}},
            {{"Status":"Interrupted","StartTime":{},"EndTime":{}}},
            {{"Status":"{}","StartTime":{}{}}}]}})",
      kArn, job.status, job.secondary, job.created, job.type, job.count, kNow - 7'000, kNow - 600,
      kNow - 600, kSegment, job.secondary, kSegment,
      training ? "" : fmt::format(R"(,"EndTime":{})", kNow));
}

// What DescribeAlarms shows of the alarms that a watch makes for the job, all in that state.
std::string standing(std::string_view watch, const Job& job = {}, std::string_view state = "OK",
                     double since = kNow - 10) {
  const rules::Policy rules = policy(kWatchBoth);
  const json::Document described = *json::Document::parse(describe(job));
  const rules::AlarmPlan plan =
      rules::plan_alarms(*rules.find_watch(watch), "job-1", described.root(), kTopic);
  std::string out;
  for (const rules::PlannedAlarm& alarm : plan.alarms)
    out += fmt::format(
        R"({}{},"ActionsEnabled":true,"OKActions":[],"StateValue":"{}","StateUpdatedTimestamp":{},
            "StateTransitionedTimestamp":{}}})",
        out.empty() ? "" : ",", alarm.body.substr(0, alarm.body.size() - 1), state, kNow, since);
  return out;
}

std::string alarms(const std::string& list) { return R"({"MetricAlarms":[)" + list + "]}"; }

class WatchTest : public ScriptedAws {
 protected:
  WatchTest() : ScriptedAws(sys_millis(milliseconds(kNow * 1000 + 500))) {
    config_.alarm_topic = kTopic;
  }

  Record handle(const rules::Policy& policy) {
    const aws::CallContext context{clock_.in(milliseconds(60'000)), "", nullptr};
    const Apis apis(client_, clock_, context, config_, {&watch, &delete_alarms_of_ended});
    return handle_job({policy, rules::Mode::kEnforce}, {*aws::JobName::parse("job-1"), kArn},
                      event_, apis);
  }

  void ends(const char* status, const char* secondary) {
    event_.training_job_status = status;
    event_.secondary_status = secondary;
  }

  ScriptedTransport& expect_describe(const Job& job = {}) {
    return transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  }
  ScriptedTransport& expect_alarms(const std::string& list) {
    return transport_.expect(R"("AlarmNamePrefix":"trainwarden/job-1/")", 200, alarms(list));
  }
  ScriptedTransport& expect_put(const std::string& name) {
    return transport_.expect(R"({"AlarmName":")" + name + "\"", 200);
  }
  ScriptedTransport& expect_delete(const std::string& names) {
    return transport_.expect(R"({"AlarmNames":[)" + names + "]}", 200);
  }

  static const ActionOutcome& outcome(const Record& record) {
    return record.decisions.at(0).actions.at(0);
  }
  static std::string result(const Record& record) {
    return record.decisions.empty() ? "(no decision)" : outcome(record).result;
  }

  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Training",
                         .creation_time = sys_seconds(seconds(kCreated))};
};

using Names = std::vector<std::string>;

TEST_F(WatchTest, W2_AJobThatTrainsGetsItsAlarmAndIsLookedAtAgain) {
  expect_describe();
  expect_alarms("");
  expect_put("trainwarden/job-1/gpu-idle");
  expect_describe();
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(result(record), "watched");
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(record.alarms().created, Names{"trainwarden/job-1/gpu-idle"});
  const json::Document document = record.to_json();
  EXPECT_EQ(json::to_text(*document.root().find("alarms")),
            R"({"created":["trainwarden/job-1/gpu-idle"]})");
  // ml.g5.12xlarge: four GPUs.
  EXPECT_NE(transport_.sent.at(2).body.find(R"("Threshold":4)"), std::string::npos);
  EXPECT_NE(transport_.sent.at(2).body.find(kTopic), std::string::npos);
}

TEST_F(WatchTest, W2_ADoubledEventPutsNothing) {
  expect_describe();
  expect_alarms(standing("disk") + "," + standing("gpu-idle"));
  const Record record = handle(policy(kWatchBoth));
  EXPECT_EQ(result(record), "already watched");
  EXPECT_TRUE(record.alarms().empty());
  EXPECT_FALSE(record.to_json().root().find("alarms"));
}

TEST_F(WatchTest, W2_OnlyWhatIsAbsentOrDifferentIsPut) {
  const Job job{.count = 12};
  std::string different = standing("disk", job);
  different.replace(different.find("\"Threshold\":95"), 14, "\"Threshold\":90");
  expect_describe(job);
  expect_alarms(different);
  expect_put("trainwarden/job-1/gpu-idle/1");
  expect_put("trainwarden/job-1/gpu-idle/2");
  expect_put("trainwarden/job-1/disk/1");
  expect_describe(job);
  const Record record = handle(policy(kWatchBoth));
  EXPECT_EQ(record.alarms().created,
            (Names{"trainwarden/job-1/gpu-idle/1", "trainwarden/job-1/gpu-idle/2",
                   "trainwarden/job-1/disk/1"}));
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, W2_AJobThatEndedMeanwhileKeepsNoAlarm) {
  expect_describe();
  expect_alarms("");
  expect_put("trainwarden/job-1/gpu-idle");
  expect_describe({.status = "Stopped", .secondary = "MaxRuntimeExceeded"});
  expect_alarms(standing("gpu-idle"));
  expect_delete(R"("trainwarden/job-1/gpu-idle")");
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(result(record), "the job has ended meanwhile: its alarms are deleted");
  EXPECT_EQ(record.alarms().deleted, Names{"trainwarden/job-1/gpu-idle"});
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, W2_AJobThatIsGoneMeanwhileKeepsNoAlarm) {
  expect_describe();
  expect_alarms("");
  expect_put("trainwarden/job-1/gpu-idle");
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kNotFound);
  expect_alarms(standing("gpu-idle"));
  expect_delete(R"("trainwarden/job-1/gpu-idle")");
  EXPECT_EQ(handle(policy(kWatchGpus)).alarms().deleted, Names{"trainwarden/job-1/gpu-idle"});
}

TEST_F(WatchTest, W2_WhetherItEndedMeanwhileMustBeKnown) {
  expect_describe();
  expect_alarms("");
  expect_put("trainwarden/job-1/gpu-idle");
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kDenied);
  const Record record = handle(policy(kWatchGpus));
  EXPECT_TRUE(record.failure());
  EXPECT_EQ(record.alarms().created, Names{"trainwarden/job-1/gpu-idle"});
}

TEST_F(WatchTest, W2_ALateEventOfAJobThatEndedCleansUp) {
  expect_describe({.status = "Completed", .secondary = "Completed"});
  expect_alarms(standing("gpu-idle"));
  expect_delete(R"("trainwarden/job-1/gpu-idle")");
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(result(record), "not done: the job has ended");
  EXPECT_EQ(record.alarms().deleted, Names{"trainwarden/job-1/gpu-idle"});
  EXPECT_TRUE(record.alarms().created.empty());
}

TEST_F(WatchTest, W2_ALateEventOfAJobThatDoesNotTrainPutsNothing) {
  expect_describe({.secondary = "Uploading"});
  const Record record = handle(policy(kWatchGpus));
  EXPECT_TRUE(result(record).starts_with("not done: ")) << result(record);
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, F5_ALateEventOfADeletedNamesakePutsNothing) {
  expect_describe({.created = kCreated + 600});
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(result(record), "not done: the name belongs to a later job");
}

TEST_F(WatchTest, W2_AnAlarmRaisedInAnEarlierSegmentIsTakenBack) {
  expect_describe();
  expect_alarms(standing("gpu-idle", {}, "ALARM", kSegment - 1));
  transport_.expect(R"({"AlarmName":"trainwarden/job-1/gpu-idle","StateValue":"INSUFFICIENT_DATA")",
                    200);
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(record.alarms().reset, Names{"trainwarden/job-1/gpu-idle"});
  EXPECT_TRUE(record.alarms().created.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, W2_AnAlarmRaisedInThisSegmentStands) {
  expect_describe();
  expect_alarms(standing("gpu-idle", {}, "ALARM", kSegment + 1));
  EXPECT_EQ(result(handle(policy(kWatchGpus))), "already watched");
}

TEST_F(WatchTest, W2_OnlyAnAlarmInAlarmIsTakenBack) {
  for (const char* state : {"OK", "INSUFFICIENT_DATA"}) {
    expect_describe();
    expect_alarms(standing("gpu-idle", {}, state, kSegment - 1));
    EXPECT_EQ(result(handle(policy(kWatchGpus))), "already watched");
  }
}

TEST_F(WatchTest, P3_AlarmsArePutInEveryMode) {
  for (const char* mode : {"observe", "notify", "enforce"}) {
    SCOPED_TRACE(mode);
    expect_describe();
    expect_alarms("");
    expect_put("trainwarden/job-1/gpu-idle");
    expect_describe();
    EXPECT_EQ(result(handle(policy(kWatchGpus, mode))), "watched");
  }
}

TEST_F(WatchTest, P3_AlarmsOffPutsNoneAndSaysSo) {
  config_.alarms = false;
  const Record record = handle(policy(kWatchGpus));
  EXPECT_EQ(result(record), "not done: TRAINWARDEN_ALARMS is off");
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, W2_WithoutATopicNoAlarmIsPut) {
  config_.alarm_topic.clear();
  EXPECT_EQ(result(handle(policy(kWatchGpus))),
            "not done: TRAINWARDEN_ALARM_TOPIC is not set, so that no alarm could call");
}

TEST_F(WatchTest, W2_WhatTheMachinesDoNotHaveIsNotWatched) {
  const Job job{.type = "ml.c5.xlarge"};
  expect_describe(job);
  EXPECT_EQ(result(handle(policy(kWatchGpus))), "nothing to watch");
  expect_describe(job);
  expect_alarms("");
  expect_put("trainwarden/job-1/disk");
  expect_describe(job);
  const Record record = handle(policy(kWatchBoth));
  EXPECT_EQ(result(record), "watched");
  EXPECT_TRUE(outcome(record).note.starts_with("gpu-idle: ")) << outcome(record).note;
}

TEST_F(WatchTest, W2_AnAlarmThatCannotBePutFailsAfterTheOthersWerePut) {
  const Job job{.type = "ml.p5.48xlarge"};
  expect_describe(job);
  expect_alarms("");
  transport_.expect("GraniteServiceVersion20100801.PutMetricAlarm", 400, kDenied);
  expect_put("trainwarden/job-1/disk");
  expect_describe(job);
  const Record record = handle(policy(kWatchBoth));
  EXPECT_EQ(result(record), "failed");
  EXPECT_EQ(record.alarms().created, Names{"trainwarden/job-1/disk"});
  ASSERT_TRUE(record.failure());
  EXPECT_NE(record.failure()->message.find("trainwarden/job-1/gpu-idle"), std::string::npos)
      << record.failure()->message;
}

TEST_F(WatchTest, W2_OtherActionsAreCarriedOutAlthoughAlarmsCannotBeListed) {
  const Job job{.type = "ml.p5.48xlarge"};
  expect_describe(job);  // for the rule no-p5
  transport_.expect("GraniteServiceVersion20100801.DescribeAlarms", 400, kDenied);
  const Record record = handle(policy(std::string(kWatchGpus) + "," + kStopP5, "observe"));
  ASSERT_EQ(record.decisions.size(), 2U);
  EXPECT_EQ(record.decisions[1].actions[0].result, "observed");
  EXPECT_TRUE(record.failure());
}

TEST_F(WatchTest, W3_TheEndDeletesTheAlarmsInEveryModeAndWithAlarmsOff) {
  config_.alarms = false;
  const struct {
    const char* status;
    const char* secondary;
  } ends_of_jobs[] = {{"Completed", "Completed"},
                      {"Failed", "Failed"},
                      {"Stopped", "Stopped"},
                      {"Stopped", "MaxRuntimeExceeded"},
                      {"Stopped", "MaxWaitTimeExceeded"},
                      {"Stopped", "SomethingNew"},
                      {"Deleting", "Deleting"}};
  for (const auto& end : ends_of_jobs) {
    SCOPED_TRACE(end.secondary);
    ends(end.status, end.secondary);
    expect_alarms(standing("gpu-idle", {.count = 11}) + "," + standing("disk"));
    expect_describe({.status = end.status, .secondary = end.secondary});
    expect_delete(
        R"("trainwarden/job-1/gpu-idle/1","trainwarden/job-1/gpu-idle/2","trainwarden/job-1/disk")");
    const Record record = handle(policy(kWatchGpus, "observe"));
    EXPECT_EQ(record.alarms().deleted.size(), 3U);
    EXPECT_FALSE(record.failure());
  }
}

TEST_F(WatchTest, W3_OnlyNamesThatAreOursAreDeleted) {
  ends("Completed", "Completed");
  expect_alarms(R"({"AlarmName":"trainwarden/job-1/UPPER"},{"AlarmName":"trainwarden/job-1/a/b"},
                   {"AlarmName":"trainwarden/job-10/gpu-idle"},{"AlarmName":7},)" +
                standing("disk"));
  expect_describe({.status = "Completed", .secondary = "Completed"});
  expect_delete(R"("trainwarden/job-1/disk")");
  EXPECT_EQ(handle(policy(kWatchGpus)).alarms().deleted, Names{"trainwarden/job-1/disk"});
}

TEST_F(WatchTest, W3_AnEndWithoutAlarmsCostsOneCall) {
  ends("Completed", "Completed");
  expect_alarms("");
  EXPECT_TRUE(handle(policy(kWatchGpus)).alarms().empty());
}

TEST_F(WatchTest, W3_APolicyWithoutWatchesCostsNoCall) {
  ends("Completed", "Completed");
  handle(policy(R"({"name":"r","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                    "actions":["stop"]})",
                "enforce", ""));
  EXPECT_TRUE(transport_.sent.empty());
}

TEST_F(WatchTest, W3_TheEndOfADeletedNamesakeDeletesNothing) {
  ends("Failed", "Failed");
  expect_alarms(standing("disk"));
  expect_describe({.created = kCreated + 600});
  EXPECT_TRUE(handle(policy(kWatchGpus)).alarms().empty());
  event_.creation_time.reset();  // of whom it speaks is not known
  expect_alarms(standing("disk"));
  expect_describe();
  EXPECT_TRUE(handle(policy(kWatchGpus)).alarms().empty());
}

TEST_F(WatchTest, W3_TheEndCountsAlthoughDescribeLagsBehindIt) {
  ends("Failed", "Failed");
  expect_alarms(standing("disk"));
  expect_describe();
  expect_delete(R"("trainwarden/job-1/disk")");
  EXPECT_EQ(handle(policy(kWatchGpus)).alarms().deleted, Names{"trainwarden/job-1/disk"});
}

TEST_F(WatchTest, F1_TheAlarmsOfAJobThatIsGoneAreDeleted) {
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kNotFound);
  expect_alarms(standing("disk"));
  expect_delete(R"("trainwarden/job-1/disk")");
  const Record record = handle(policy(kStopP5));
  EXPECT_EQ(record.conclusion, "gone");
  EXPECT_EQ(record.alarms().deleted, Names{"trainwarden/job-1/disk"});
  EXPECT_FALSE(record.failure());
}

TEST_F(WatchTest, W3_AlarmsThatCannotBeDeletedFailTheInvocation) {
  ends("Completed", "Completed");
  expect_alarms(standing("disk"));
  expect_describe({.status = "Completed", .secondary = "Completed"});
  transport_.expect("GraniteServiceVersion20100801.DeleteAlarms", 400, kDenied);
  EXPECT_TRUE(handle(policy(kWatchGpus)).failure());
  transport_.expect("GraniteServiceVersion20100801.DescribeAlarms", 400, kDenied);
  EXPECT_TRUE(handle(policy(kWatchGpus)).failure());
  expect_alarms(standing("disk"));
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kDenied);
  EXPECT_TRUE(handle(policy(kWatchGpus)).failure());
}

}  // namespace
}  // namespace trainwarden::actions
