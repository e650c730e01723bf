// What becomes of a job's alarms when it ends (policy.md W3), against scripted answers.
#include "tests/handlers/actions/alarms/put_alarms_fixture.h"

namespace trainwarden::actions::watch_test {
namespace {

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
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
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
}  // namespace trainwarden::actions::watch_test
