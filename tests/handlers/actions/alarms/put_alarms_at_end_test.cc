// What becomes of a job's alarms when it ends (policy.md W3).
#include "tests/handlers/actions/alarms/put_alarms_fixture.h"

namespace trainwarden::actions::put_alarms_at_end_test {
namespace {

class AlarmsAtEnd : public WatchTest {};

TEST_F(AlarmsAtEnd, W3_TheEndDeletesTheAlarmsInEveryModeAndWithAlarmsOff) {
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
    config_.alarms = true;
    place_watched({.count = 11});
    const Names all = aws_.alarms();
    EXPECT_EQ(all.size(), 4U);
    config_.alarms = false;
    aws_.place({.status = end.status, .secondary = end.secondary});
    const Record record = handle(watching(kWatchGpus, "observe"));
    EXPECT_TRUE(aws_.alarms().empty());
    EXPECT_EQ(record.alarms().deleted, all);
    EXPECT_FALSE(record.failure());
  }
}

TEST_F(AlarmsAtEnd, W3_OnlyNamesThatAreOursAreDeleted) {
  place_watched();
  const Names others = {"trainwarden/job-1/UPPER", "trainwarden/job-1/a/b",
                        "trainwarden/job-10/gpu-idle"};
  for (const std::string& name : others)
    ASSERT_TRUE(aws_.call(
        "PutMetricAlarm",
        fmt::format(
            R"({{"AlarmName":"{}","MetricName":"m","Namespace":"n","Statistic":"Maximum","Period":60,)"
            R"("EvaluationPeriods":1,"Threshold":1,"ComparisonOperator":"LessThanThreshold"}})",
            name)));
  aws_.enter("job-1", "Completed");
  handle(watching(kWatchGpus));
  EXPECT_EQ(aws_.alarms(), others);
}

TEST_F(AlarmsAtEnd, W3_AnEndWithoutAlarmsCostsOneCall) {
  aws_.place({.status = "Completed", .secondary = "Completed"});
  EXPECT_TRUE(handle(watching(kWatchGpus)).alarms().empty());
  EXPECT_EQ(aws_.calls, Names{"DescribeAlarms"});
}

TEST_F(AlarmsAtEnd, W3_APolicyWithoutWatchesCostsNoCall) {
  place_watched();
  aws_.enter("job-1", "Completed");
  handle(kNoP5);
  EXPECT_TRUE(aws_.calls.empty());
}

TEST_F(AlarmsAtEnd, W3_TheEndOfADeletedNamesakeDeletesNothing) {
  place_watched();
  rules::JobEvent end = event();
  end.training_job_status = end.secondary_status = "Failed";
  *end.creation_time -= minutes(10);
  EXPECT_TRUE(handle(watching(kWatchGpus), end).alarms().empty());
  end.creation_time.reset();  // of whom it speaks is not known
  EXPECT_TRUE(handle(watching(kWatchGpus), end).alarms().empty());
  EXPECT_EQ(aws_.alarms().size(), 2U);
}

TEST_F(AlarmsAtEnd, W3_TheEndCountsAlthoughDescribeLagsBehindIt) {
  place_watched();
  rules::JobEvent end = event();
  end.training_job_status = end.secondary_status = "Failed";
  handle(watching(kWatchGpus), end);
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(AlarmsAtEnd, F1_TheAlarmsOfAJobThatIsGoneAreDeleted) {
  place_watched();
  const rules::JobEvent late = event();
  delete_job();
  const Record record = handle(watching(kNoP5), late);
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
  EXPECT_FALSE(record.failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(AlarmsAtEnd, W3_AlarmsThatCannotBeDeletedFailTheInvocation) {
  place_watched();
  aws_.enter("job-1", "Completed");
  for (const char* call : {"DeleteAlarms", "DescribeAlarms", "DescribeTrainingJob"}) {
    aws_.refuse(call, kDenied);
    EXPECT_TRUE(handle(watching(kWatchGpus)).failure()) << call;
    EXPECT_EQ(aws_.alarms().size(), 2U);
  }
  EXPECT_FALSE(handle(watching(kWatchGpus)).failure());
  EXPECT_TRUE(aws_.alarms().empty());
}

}  // namespace
}  // namespace trainwarden::actions::put_alarms_at_end_test
