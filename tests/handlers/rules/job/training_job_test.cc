// What is read of DescribeTrainingJob's answer, and what of one that makes no sense.
#include "handlers/rules/job/training_job.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/job/copy_settings.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::training_job_test {
namespace {

using std::chrono::seconds;
using test::doc;

sys_seconds at(long epoch) { return sys_seconds(seconds(epoch)); }

TEST(TrainingJob, TellsWhatDescribeTells) {
  const auto document = doc(R"({"TrainingJobName": "train-1", "TrainingJobArn": "arn:x",
      "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxRuntimeExceeded",
      "FailureReason": "why", "CreationTime": 1783000000, "TrainingStartTime": "1783000100000",
      "TrainingEndTime": "2026-07-02T13:50:00Z", "LastModifiedTime": 1783000300.5,
      "TrainingTimeInSeconds": 100, "BillableTimeInSeconds": 90,
      "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200},
      "EnableManagedSpotTraining": true, "CheckpointConfig": {"S3Uri": "s3://b/c/"},
      "RoleArn": "arn:role", "TuningJobArn": "arn:t", "AutoMLJobArn": "arn:a",
      "LabelingJobArn": "arn:l"})");
  const TrainingJob job = read_training_job(document.root());
  EXPECT_EQ(job.name, "train-1");
  EXPECT_EQ(job.arn, "arn:x");
  EXPECT_EQ(job.status, JobStatus::kStopped);
  EXPECT_TRUE(job.has_ended());
  EXPECT_EQ(job.secondary, SecondaryStatus::kMaxRuntimeExceeded);
  EXPECT_TRUE(is_limit(job.secondary));
  EXPECT_EQ(job.failure_reason, "why");
  EXPECT_EQ(job.created, at(1783000000));
  EXPECT_EQ(job.training_start, at(1783000100));
  EXPECT_EQ(job.training_end, at(1783000200));
  EXPECT_EQ(job.last_modified, at(1783000300));
  EXPECT_EQ(job.ended(), at(1783000200));
  EXPECT_EQ(job.training_seconds, 100);
  EXPECT_EQ(job.billable_seconds, 90);
  EXPECT_EQ(job.max_runtime_seconds, 3600);
  EXPECT_EQ(job.max_wait_seconds, 7200);
  EXPECT_TRUE(job.spot);
  EXPECT_EQ(job.checkpoint_uri, "s3://b/c/");
  EXPECT_EQ(job.role_arn, "arn:role");
  EXPECT_EQ(job.tuning_job_arn, "arn:t");
  EXPECT_EQ(job.auto_ml_job_arn, "arn:a");
  EXPECT_EQ(job.labeling_job_arn, "arn:l");
}

TEST(TrainingJob, WhatIsMissingOrOddIsAbsent) {
  for (const char* const text :
       {"{}", R"({"TrainingJobName": null, "TrainingJobStatus": 7, "SecondaryStatus": [],
                  "CreationTime": {}, "TrainingEndTime": "soon", "LastModifiedTime": true,
                  "TrainingTimeInSeconds": "5",
                  "StoppingCondition": [], "EnableManagedSpotTraining": "true",
                  "SecondaryStatusTransitions": {"Status": "Training"}, "ResourceConfig": 7,
                  "CheckpointConfig": {"S3Uri": null}, "TuningJobArn": 1})"}) {
    SCOPED_TRACE(text);
    const auto document = doc(text);
    const TrainingJob job = read_training_job(document.root());
    EXPECT_EQ(job.name, "");
    EXPECT_EQ(job.status, JobStatus::kUnknown);
    EXPECT_FALSE(job.has_ended());
    EXPECT_EQ(job.secondary, SecondaryStatus::kOther);
    EXPECT_FALSE(job.created);
    EXPECT_FALSE(job.ended());
    EXPECT_FALSE(job.training_seconds);
    EXPECT_FALSE(job.max_runtime_seconds);
    EXPECT_FALSE(job.spot);
    EXPECT_FALSE(job.transitions);
    EXPECT_TRUE(job.instances.empty());
    EXPECT_EQ(job.checkpoint_uri, "");
    EXPECT_EQ(job.tuning_job_arn, "");
  }
}

TEST(TrainingJob, AStatusThatAwsAddedKeepsItsText) {
  const auto document = doc(R"({"TrainingJobStatus": "Paused", "SecondaryStatus": "Hibernating"})");
  const TrainingJob job = read_training_job(document.root());
  EXPECT_EQ(job.status, JobStatus::kUnknown);
  EXPECT_EQ(job.status_text, "Paused");
  EXPECT_EQ(job.secondary, SecondaryStatus::kOther);
  EXPECT_EQ(job.secondary_text, "Hibernating");
}

TEST(TrainingJob, F3_OnlyFourStatusesAreAnEnd) {
  for (const char* const status : {"Completed", "Failed", "Stopped", "Deleting"})
    EXPECT_TRUE(is_terminal(status)) << status;
  for (const char* const status : {"InProgress", "Stopping", "Paused", "completed", ""})
    EXPECT_FALSE(is_terminal(status)) << status;
}

TEST(TrainingJob, AJobThatNeverStartedEndedWhenItLastChanged) {
  const auto document = doc(R"({"TrainingJobStatus": "Failed", "LastModifiedTime": 1783000000})");
  EXPECT_EQ(read_training_job(document.root()).ended(), at(1783000000));
}

TEST(TrainingJob, AJobThatRunsHasNotEndedHoweverItChanged) {
  for (const char* const status : {"InProgress", "Stopping", "Paused"}) {
    const auto document = doc(R"({"TrainingJobStatus": ")" + std::string(status) +
                              R"(", "CreationTime": 1783000000, "LastModifiedTime": 1783000100,
                                  "TrainingEndTime": 1783000200})");
    EXPECT_FALSE(read_training_job(document.root()).ended()) << status;
  }
}

TEST(TrainingJob, AJobOfWhichNothingElseIsToldEndedWhenItWasCreated) {
  const auto document = doc(R"({"TrainingJobStatus": "Failed", "CreationTime": 1783000000})");
  EXPECT_EQ(read_training_job(document.root()).ended(), at(1783000000));
}

TEST(TrainingJob, TransitionsComeInTheOrderTold) {
  const auto document = doc(R"({"SecondaryStatusTransitions": [
      {"Status": "Interrupted", "StartTime": 1783000100, "EndTime": 1783000200},
      {"Status": "Training", "StartTime": 1783000000, "EndTime": null},
      {"Status": "New", "EndTime": "soon"}]})");
  const auto transitions = read_training_job(document.root()).transitions;
  ASSERT_TRUE(transitions);
  ASSERT_EQ(transitions->size(), 3U);
  EXPECT_EQ((*transitions)[0].status, SecondaryStatus::kInterrupted);
  EXPECT_EQ((*transitions)[0].end, at(1783000200));
  EXPECT_EQ((*transitions)[1].start, at(1783000000));
  EXPECT_FALSE((*transitions)[1].has_end);
  EXPECT_EQ((*transitions)[2].status, SecondaryStatus::kOther);
  EXPECT_FALSE((*transitions)[2].start);
  EXPECT_FALSE((*transitions)[2].end);
  EXPECT_TRUE((*transitions)[2].has_end);
  const auto none = doc(R"({"SecondaryStatusTransitions": []})");
  EXPECT_TRUE(read_training_job(none.root()).transitions.value().empty());
}

TEST(TrainingJob, MachinesAreThoseOfTheGroupsOrTheOneType) {
  const auto one = doc(R"({"ResourceConfig": {"InstanceType": "ml.a", "InstanceCount": 2,
                           "TrainingPlanArn": "arn:plan"}})");
  const TrainingJob plain = read_training_job(one.root());
  ASSERT_EQ(plain.instances.size(), 1U);
  EXPECT_EQ(plain.instances[0].type, "ml.a");
  EXPECT_EQ(plain.instances[0].count, 2);
  EXPECT_EQ(plain.instance_type, "ml.a");
  EXPECT_FALSE(plain.has_instance_groups);
  EXPECT_TRUE(plain.in_training_plan);
  const auto groups = doc(R"({"ResourceConfig": {"InstanceType": "ml.a", "InstanceCount": 0,
      "InstanceGroups": [{"InstanceType": "ml.b", "InstanceCount": 1}, {"InstanceType": "ml.c"}]}})");
  const TrainingJob mixed = read_training_job(groups.root());
  ASSERT_EQ(mixed.instances.size(), 2U);
  EXPECT_EQ(mixed.instances[1].type, "ml.c");
  EXPECT_EQ(mixed.instances[1].count, 0);
  EXPECT_TRUE(mixed.has_instance_groups);
  EXPECT_EQ(mixed.instance_type, "");
}

TEST(TrainingJob, APageOfSearchHasTheJobsOfItsRecords) {
  const auto results = doc(R"([{"TrainingJob": {"TrainingJobName": "a"}}, {"Experiment": {}},
                               {"TrainingJob": {"TrainingJobName": "b"}}])");
  const auto jobs = read_search_page(results.root());
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].name, "a");
  EXPECT_EQ(jobs[1].name, "b");
  EXPECT_TRUE(read_search_page(doc("{}").root()).empty());
}

TEST(TrainingJob, F1_AnAnswerWithoutItsStatusesSaysNothing) {
  const auto whole = doc(
      R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "TrainingJobArn": "a"})");
  EXPECT_TRUE(check_description(whole.root()));
  const auto odd =
      doc(R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": 7, "TrainingJobArn": "a"})");
  const auto refused = check_description(odd.root());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadResponse);
  EXPECT_NE(refused.error().message.find("DescribeTrainingJob.SecondaryStatus"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(check_description(doc("{}").root()));
}

TEST(TrainingJob, AMetricIsDefinedByItsName) {
  const auto document = doc(R"({"AlgorithmSpecification": {"MetricDefinitions": [
      {"Name": "loss", "Regex": "x"}, {"Regex": "y"}]}})");
  const TrainingJob job = read_training_job(document.root());
  EXPECT_TRUE(defines_metric(job, "loss"));
  EXPECT_FALSE(defines_metric(job, "Loss"));
  EXPECT_FALSE(defines_metric(read_training_job(doc("{}").root()), "loss"));
}

TEST(TrainingJob, ThatWasJustCreatedHasAStatusOfTheBeginning) {
  for (const char* const status :
       {"InProgress", "Starting", "Pending", "LaunchingMLInstances", "PreparingTrainingStack",
        "Downloading", "DownloadingTrainingImage", "Training"})
    EXPECT_TRUE(has_just_begun(status)) << status;
  for (const char* const status : {"", "Uploading", "Interrupted", "Restarting", "Stopping",
                                   "Stopped", "Completed", "Failed", "MaxRuntimeExceeded"})
    EXPECT_FALSE(has_just_begun(status)) << status;
}

TEST(FreeMaps, AreTheTwoWhoseValuesMayBeSecret) {
  EXPECT_TRUE(is_free_map("HyperParameters"));
  EXPECT_TRUE(is_free_map("Environment"));
  EXPECT_FALSE(is_free_map("environment"));
  EXPECT_FALSE(is_free_map("Tags"));
  EXPECT_TRUE(is_in_free_map("Environment.TOKEN"));
  EXPECT_TRUE(is_in_free_map("HyperParameters.a.b"));
  EXPECT_FALSE(is_in_free_map("Environment"));
  EXPECT_FALSE(is_in_free_map("EnvironmentOf.TOKEN"));
  EXPECT_FALSE(is_in_free_map("ResourceConfig.InstanceType"));
}

}  // namespace
}  // namespace trainwarden::rules::training_job_test
