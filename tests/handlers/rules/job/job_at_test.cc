// A description cut back to an earlier moment tells what AWS told then (issue 17, 3).
#include "handlers/rules/job/job_at.h"

#include <gtest/gtest.h>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::job_at_test {
namespace {

using test::doc;

constexpr const char* kFailed = R"({
  "TrainingJobName": "run", "TrainingJobStatus": "Failed", "SecondaryStatus": "Failed",
  "FailureReason": "AlgorithmError: , exit code: 1", "CreationTime": 1000,
  "TrainingStartTime": 1100, "TrainingEndTime": 5000, "LastModifiedTime": 5010,
  "BillableTimeInSeconds": 3900, "TrainingTimeInSeconds": 3900,
  "ModelArtifacts": {"S3ModelArtifacts": "s3://m"}, "FinalMetricDataList": [],
  "WarmPoolStatus": {"Status": "Terminated"}, "RoleArn": "arn:aws:iam::1:role/r",
  "StoppingCondition": {"MaxRuntimeInSeconds": 9000},
  "SecondaryStatusTransitions": [
    {"Status": "Starting", "StartTime": 1000, "EndTime": 1050},
    {"Status": "Training", "StartTime": 1100, "EndTime": 3000},
    {"Status": "Interrupted", "StartTime": 3000, "EndTime": 3600},
    {"Status": "Training", "StartTime": 3600, "EndTime": 4900},
    {"Status": "Stopping", "StartTime": 4900, "EndTime": 5000},
    {"Status": "Failed", "StartTime": 5000, "EndTime": 5000}]})";

sys_seconds at(int seconds) { return sys_seconds(std::chrono::seconds(seconds)); }

class JobAt : public ::testing::Test {
 protected:
  json::Document then(int seconds) const { return job_at(whole_, at(seconds)); }

  json::Document described_ = doc(kFailed);
  TrainingJob whole_ = read_training_job(described_.root());
};

TEST_F(JobAt, BeforeItsTrainingItHasNoStart) {
  const json::Document document = then(1050);
  const TrainingJob job = read_training_job(document.root());
  EXPECT_EQ(job.status, JobStatus::kInProgress);
  EXPECT_EQ(job.secondary_text, "Starting");
  EXPECT_FALSE(job.training_start);
  EXPECT_EQ(job.transitions->size(), 1U);
  EXPECT_EQ(job.max_runtime_seconds, 9000);
  EXPECT_EQ(job.role_arn, "arn:aws:iam::1:role/r");
}

TEST_F(JobAt, NothingOfItsEndIsTold) {
  for (const int moment : {1100, 2999, 3000, 3599, 4899, 4999}) {
    const json::Document document = then(moment);
    for (const char* const later :
         {"FailureReason", "TrainingEndTime", "BillableTimeInSeconds", "TrainingTimeInSeconds",
          "ModelArtifacts", "FinalMetricDataList", "WarmPoolStatus"})
      EXPECT_FALSE(document.root().find(later)) << later << " at " << moment;
  }
}

TEST_F(JobAt, ASegmentThatGoesOnHasNoEnd) {
  const json::Document document = then(3000);
  const TrainingJob job = read_training_job(document.root());
  EXPECT_EQ(job.secondary, SecondaryStatus::kInterrupted);
  ASSERT_EQ(job.transitions->size(), 3U);
  EXPECT_EQ(job.transitions->at(1).end, at(3000));
  EXPECT_FALSE(job.transitions->at(2).has_end);
  EXPECT_EQ(job.last_modified, at(3000));
}

TEST_F(JobAt, StoppingIsAStatusOfItsOwn) {
  const json::Document document = then(4900);
  EXPECT_EQ(read_training_job(document.root()).status, JobStatus::kStopping);
  EXPECT_EQ(job_state_at(whole_, at(4899)).status, JobStatus::kInProgress);
}

TEST_F(JobAt, FromItsEndOnItIsAsItEnded) {
  const json::Document document = then(5000);
  const TrainingJob job = read_training_job(document.root());
  EXPECT_EQ(job.status, JobStatus::kFailed);
  EXPECT_EQ(job.failure_reason, "AlgorithmError: , exit code: 1");
  EXPECT_EQ(job.billable_seconds, 3900);
  EXPECT_EQ(job.warm_pool.status, PoolStatus::kNone);  // whose state is that of the export
}

TEST(JobAtRunning, AJobThatRunsStillHasNoEnd) {
  const json::Document described = doc(
      R"({"TrainingJobName": "run", "TrainingJobStatus": "InProgress", "CreationTime": 1000,
          "SecondaryStatus": "Training", "TrainingStartTime": 1100, "LastModifiedTime": 1100})");
  const TrainingJob whole = read_training_job(described.root());
  EXPECT_FALSE(whole.ended());
  // Without transitions the start of training tells.
  EXPECT_EQ(job_state_at(whole, at(1099)).secondary, "Starting");
  EXPECT_EQ(job_state_at(whole, at(1100)).secondary, "Training");
}

// F16: before it had machines, AWS had not selected one of its preferences.
TEST(JobAtPreferences, WhatWasSelectedIsKnownFromTheStartOfItsTrainingOn) {
  const json::Document described =
      doc(R"({"TrainingJobName": "run", "TrainingJobStatus": "Completed",
      "SecondaryStatus": "Completed", "CreationTime": 1000, "TrainingStartTime": 1100,
      "TrainingEndTime": 5000, "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2,
        "VolumeSizeInGB": 30, "InstancePreferences": [
          {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8},
          {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2}],
        "SelectedInstanceType": "ml.g5.xlarge", "SelectedInstanceCount": 2}})");
  const TrainingJob whole = read_training_job(described.root());
  const json::Document queued = job_at(whole, at(1050));
  const TrainingJob before = read_training_job(queued.root());
  EXPECT_TRUE(before.one_of);
  ASSERT_EQ(before.instances.size(), 2U);
  const json::Document training = job_at(whole, at(1200));
  const TrainingJob after = read_training_job(training.root());
  EXPECT_FALSE(after.one_of);
  ASSERT_EQ(after.instances.size(), 1U);
  EXPECT_EQ(after.instances[0].type, "ml.g5.xlarge");
}

}  // namespace
}  // namespace trainwarden::rules::job_at_test
