// Alarms that a job gets while it trains (policy.md W2).
#include "tests/handlers/actions/alarms/put_alarms_fixture.h"

namespace trainwarden::actions::put_alarms_test {
namespace {

class PutAlarms : public WatchTest {};

TEST_F(PutAlarms, W2_AJobThatTrainsGetsItsAlarm) {
  aws_.place({});
  const Record record = handle(watching(kWatchGpus));
  EXPECT_EQ(kind(record), Kind::kWatched);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job-1/gpu-idle"});
  const json::Document document = record.to_json();
  EXPECT_EQ(json::to_text(*document.root().find("alarms")),
            R"({"created":["trainwarden/job-1/gpu-idle"]})");
  const localaws::Alarm& alarm = *aws_.alarm("trainwarden/job-1/gpu-idle");
  EXPECT_EQ(alarm.rule.threshold, 4);  // ml.g5.12xlarge: four GPUs
  EXPECT_EQ(localaws::actions_of(alarm, localaws::AlarmState::kAlarm), Names{testing::kAlarmTopic});
}

TEST_F(PutAlarms, W2_ADoubledEventPutsNothing) {
  place_watched();
  const Record record = handle(watching(kWatchBoth));
  EXPECT_EQ(kind(record), Kind::kWatchedBefore);
  EXPECT_FALSE(record.to_json().root().find("alarms"));
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(PutAlarms, W2_OnlyWhatIsAbsentOrDifferentIsPut) {
  place_watched({.count = 12});
  ASSERT_TRUE(aws_.call("DeleteAlarms", R"({"AlarmNames":["trainwarden/job-1/gpu-idle/2"]})"));
  const std::string disk = "trainwarden/job-1/disk/1";
  std::string different = json::to_text(aws_.alarm(disk)->definition.root());
  different.replace(different.find(R"("Threshold":95)"), 14, R"("Threshold":90)");
  ASSERT_TRUE(aws_.call("PutMetricAlarm", different));
  const Record record = handle(watching(kWatchBoth));
  EXPECT_EQ(record.alarms().created, (Names{"trainwarden/job-1/gpu-idle/2", disk}));
  EXPECT_EQ(aws_.alarms().size(), 4U);
  EXPECT_EQ(aws_.alarm(disk)->rule.threshold, 95);
}

TEST_F(PutAlarms, W2_AJobThatEndedMeanwhileKeepsNoAlarm) {
  aws_.place({});
  aws_.before("PutMetricAlarm", [&] { aws_.enter("job-1", "MaxRuntimeExceeded"); });
  const Record record = handle(watching(kWatchGpus));
  EXPECT_EQ(kind(record), Kind::kEndedMeanwhile);
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_AJobThatIsGoneMeanwhileKeepsNoAlarm) {
  aws_.place({});
  aws_.before("PutMetricAlarm", [&] { delete_job(); });
  handle(watching(kWatchGpus));
  EXPECT_EQ(aws_.count("PutMetricAlarm"), 1);
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_WhetherItEndedMeanwhileMustBeKnown) {
  aws_.place({});
  aws_.before("PutMetricAlarm", [&] { aws_.refuse("DescribeTrainingJob", kDenied); });
  EXPECT_TRUE(handle(watching(kWatchGpus)).failure());
}

TEST_F(PutAlarms, W2_ALateEventOfAJobThatEndedCleansUp) {
  place_watched();
  const rules::JobEvent late = event();
  aws_.enter("job-1", "Completed");
  EXPECT_TRUE(because(handle(watching(kWatchGpus), late), Why::kHasEnded));
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_ALateEventOfAJobThatDoesNotTrainPutsNothing) {
  aws_.place({});
  const rules::JobEvent late = event();
  aws_.enter("job-1", "Uploading");
  const Record record = handle(watching(kWatchGpus), late);
  EXPECT_EQ(kind(record), Kind::kNotDone);
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, F5_ALateEventOfADeletedNamesakePutsNothing) {
  aws_.place({});
  rules::JobEvent earlier = event();
  *earlier.creation_time -= minutes(10);
  EXPECT_TRUE(because(handle(watching(kWatchGpus), earlier), Why::kNamesake));
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_AnAlarmRaisedInAnEarlierSegmentIsTakenBack) {
  raise_then_train_again();
  EXPECT_EQ(handle(watching(kWatchBoth)).alarms().reset, Names{"trainwarden/job-1/gpu-idle"});
  EXPECT_EQ(state(), localaws::AlarmState::kInsufficientData);
}

TEST_F(PutAlarms, W2_AnAlarmRaisedInThisSegmentStands) {
  place_watched();
  put_in_state("ALARM");
  EXPECT_EQ(kind(handle(watching(kWatchBoth))), Kind::kWatchedBefore);
  EXPECT_EQ(state(), localaws::AlarmState::kAlarm);
}

TEST_F(PutAlarms, W2_OnlyAnAlarmInAlarmIsTakenBack) {
  for (const char* state : {"OK", "INSUFFICIENT_DATA"}) {
    place_watched();
    put_in_state(state);
    aws_.pass(seconds(5));
    aws_.enter("job-1", "Interrupted");
    aws_.enter("job-1", "Training");
    EXPECT_EQ(kind(handle(watching(kWatchBoth))), Kind::kWatchedBefore);
    EXPECT_FALSE(aws_.wrote());
  }
}

TEST_F(PutAlarms, P3_AlarmsArePutInEveryMode) {
  for (const char* mode : {"observe", "notify", "enforce"}) {
    const std::string job = std::string("job-") + mode;
    aws_.place({.name = job});
    EXPECT_EQ(kind(handle(watching(kWatchGpus, mode), event(job))), Kind::kWatched);
    EXPECT_NE(aws_.alarm("trainwarden/" + job + "/gpu-idle"), nullptr) << mode;
  }
}

TEST_F(PutAlarms, P3_AlarmsOffPutsNoneAndSaysSo) {
  config_.alarms = false;
  aws_.place({});
  const Record record = handle(watching(kWatchGpus));
  EXPECT_TRUE(because(record, Why::kAlarmsOff));
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_WithoutATopicNoAlarmIsPut) {
  config_.alarm_topic.clear();
  aws_.place({});
  EXPECT_TRUE(because(handle(watching(kWatchGpus)), Why::kNoAlarmTopic));
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(PutAlarms, W2_WhatTheMachinesDoNotHaveIsNotWatched) {
  aws_.place({.type = "ml.c5.xlarge"});
  EXPECT_EQ(kind(handle(watching(kWatchGpus))), Kind::kNothingToWatch);
  const Record record = handle(watching(kWatchBoth));
  EXPECT_EQ(kind(record), Kind::kWatched);
  EXPECT_TRUE(outcome(record).note.starts_with("gpu-idle: ")) << outcome(record).note;
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job-1/disk"});
}

TEST_F(PutAlarms, F4_ItSaysWhatItCountedAsOne) {
  aws_.place({.type = "ml.p9.48xlarge"});
  const Record record = handle(watching(kWatchGpus));
  EXPECT_EQ(kind(record), Kind::kWatched);
  EXPECT_EQ(outcome(record).note,
            "gpu-idle: how many GPUs `ml.p9.48xlarge` has is not known: counted as 1");
}

TEST_F(PutAlarms, W2_AnAlarmThatCannotBePutFailsAfterTheOthersWerePut) {
  aws_.place({});
  aws_.refuse("PutMetricAlarm", kDenied);
  const Record record = handle(watching(kWatchBoth));
  EXPECT_EQ(kind(record), Kind::kFailed);
  ASSERT_TRUE(record.failure());
  EXPECT_NE(record.failure()->message.find("trainwarden/job-1/gpu-idle"), std::string::npos);
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job-1/disk"});
}

TEST_F(PutAlarms, W2_OtherActionsAreCarriedOutAlthoughAlarmsCannotBeListed) {
  aws_.place(kP5);
  aws_.refuse("DescribeAlarms", kDenied);
  EXPECT_TRUE(handle(watching(std::string(kWatchGpus) + "," + kNoP5)).failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

}  // namespace
}  // namespace trainwarden::actions::put_alarms_test
