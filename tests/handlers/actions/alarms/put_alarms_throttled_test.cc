// CloudWatch takes three calls a second that change alarms (policy.md W2, W3): what it throttles on
// an event is left to the sweep, and fails nothing.
#include "tests/handlers/actions/alarms/put_alarms_fixture.h"

namespace trainwarden::actions::put_alarms_throttled_test {
namespace {

using testing::kThrottled;
using ThrottledAlarms = WatchTest;

const Names kBoth = {"trainwarden/job-1/gpu-idle", "trainwarden/job-1/disk"};

TEST_F(ThrottledAlarms, W2_AThrottledPutIsLeftToTheSweep) {
  aws_.place({});
  aws_.refuse("PutMetricAlarm", kThrottled);
  const Record record = handle(watching(kWatchBoth));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(kind(record), Kind::kLeftToSweep);
  EXPECT_EQ(record.alarms().left, kBoth);
  EXPECT_EQ(aws_.count("PutMetricAlarm"), 1) << "each would wait as long";
  EXPECT_EQ(kind(handle(watching(kWatchBoth))), Kind::kWatched);
}

TEST_F(ThrottledAlarms, W2_TheAlarmsBeforeItStandAndTheJobIsLookedAtOnceMore) {
  aws_.place({});
  aws_.spare("PutMetricAlarm");
  aws_.refuse("PutMetricAlarm", kThrottled);
  aws_.before("PutMetricAlarm", [&] { aws_.enter("job-1", "Completed"); }, 2);
  const Record record = handle(watching(kWatchBoth));
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(ThrottledAlarms, W2_AllElseInTheEventIsDone) {
  for (const char* call : {"PutMetricAlarm", "DescribeAlarms"}) {
    const std::string job = std::string("job-") + call;
    aws_.place({.name = job, .type = "ml.p5.48xlarge"});
    aws_.refuse(call, kThrottled);
    const Record record = handle(watching(std::string(kWatchGpus) + "," + kNoP5), event(job));
    EXPECT_FALSE(record.failure()) << call;
    EXPECT_EQ(record.alarms().left.size(), 1U) << call;
    EXPECT_EQ(aws_.status(job), "Stopping") << call;
  }
}

TEST_F(ThrottledAlarms, W2_OneThatCannotBeTakenBackIsLookedAtAgainByTheSweep) {
  raise_then_train_again();
  aws_.refuse("SetAlarmState", kThrottled);
  const Record record = handle(watching(kWatchBoth));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(record.alarms().left, Names{kBoth[0]});
}

TEST_F(ThrottledAlarms, W3_AThrottledDeleteIsLeftToTheSweep) {
  place_watched();
  aws_.enter("job-1", "Completed");
  aws_.refuse("DeleteAlarms", kThrottled);
  const Record record = handle(watching(kWatchGpus));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(record.alarms().left.size(), 2U);
  EXPECT_EQ(aws_.alarms().size(), 2U);
  aws_.refuse("DescribeAlarms", kThrottled);
  EXPECT_EQ(handle(watching(kWatchGpus)).alarms().left, Names{"trainwarden/job-1/"});
}

// It looks like one, and is none.
TEST_F(ThrottledAlarms, F1_AThrottledDescribeTrainingJobFailsTheInvocation) {
  place_watched();
  aws_.enter("job-1", "Completed");
  aws_.refuse("DescribeTrainingJob", kThrottled);
  EXPECT_TRUE(handle(watching(kWatchGpus)).failure());
}

}  // namespace
}  // namespace trainwarden::actions::put_alarms_throttled_test
