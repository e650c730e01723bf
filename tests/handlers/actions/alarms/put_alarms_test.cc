// Alarms that a job gets while it trains (policy.md W2), against scripted answers.
#include "tests/handlers/actions/alarms/put_alarms_fixture.h"

namespace trainwarden::actions::watch_test {
namespace {

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
  EXPECT_EQ(rules::text(record.decisions[1].actions[0].result), "observed");
  EXPECT_TRUE(record.failure());
}

}  // namespace
}  // namespace trainwarden::actions::watch_test
