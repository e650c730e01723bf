// `trainwarden test`: a job that AWS could not have described (T1).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/cli/test/policy_cases.h"

namespace trainwarden::cli::test_job_test {
namespace {

using namespace policy_cases;

struct WrongJob {
  std::string_view job;
  std::string_view says;
};

constexpr WrongJob kWrongJobs[] = {
    {R"({"TrainingJobstatus": "Completed"})",
     "job.TrainingJobstatus: expected a member of DescribeTrainingJob's answer, found "
     "`TrainingJobstatus`; did you mean "
     "`TrainingJobStatus`?"},
    {R"({"TrainingJobStatus": "Done"})",
     "job.TrainingJobStatus: expected `InProgress`, `Completed`, `Failed`"},
    {R"({"TrainingJobStatus": "Inprogress"})", "did you mean `InProgress`?"},
    {R"({"SecondaryStatus": "Trainin"})", "did you mean `Training`?"},
    {R"({"TrainingJobStatus": 3})", "job.TrainingJobStatus: expected a string, found `3`"},
    {R"({"TrainingJobStatus": "Completed"})",
     "job: expected `SecondaryStatus`, which AWS tells of every job"},
    {R"({"SecondaryStatus": "Completed"})",
     "job: expected `TrainingJobStatus`, which AWS tells of every job"},
    {R"({"TrainingStartTime": "nope"})", "job.TrainingStartTime: expected a time such as"},
    {R"({"TrainingStartTime": {}})", "job.TrainingStartTime: expected a time such as"},
    {R"({"TrainingTimeInSeconds": "60"})",
     "job.TrainingTimeInSeconds: expected a number, found `\"60\"`"},
    {R"({"EnableManagedSpotTraining": "true"})",
     "job.EnableManagedSpotTraining: expected a boolean"},
    {R"({"ResourceConfig": {"InstanceTyp": "ml.m5.large"}})", "job.ResourceConfig.InstanceTyp: "},
    {R"({"ResourceConfig": "ml.m5.large"})", "job.ResourceConfig: expected an object"},
    {R"({"ResourceConfig": [{"InstanceType": "ml.m5.large"}]})",
     "job.ResourceConfig: expected an object"},
    {R"({"SecondaryStatusTransitions": {"Status": "Training"}})", "expected a list"},
    {R"({"SecondaryStatusTransitions": [{"Status": "Trained"}]})",
     "job.SecondaryStatusTransitions[0].Status: expected"},
    {R"({"SecondaryStatusTransitions": ["Training"]})",
     "job.SecondaryStatusTransitions[0]: expected an object"},
    {R"({"HyperParameters": {"lr": 0.1}})", "job.HyperParameters.lr: expected a string"},
    {R"({"Tags": [{"Key": "team", "Value": "a"}]})", "job.Tags: expected no tags here"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Starting", "CreationTime": "2026-11-20T08:00:00Z",
         "TrainingStartTime": "2026-11-19T08:00:00Z"})",
     "job.TrainingStartTime: expected a time that is not before CreationTime"},
    {R"("j")", "job: expected DescribeTrainingJob's answer (an object)"},
    {R"({"TrainingJobStatus": "Completed", "SecondaryStatus": "Training"})",
     "job.SecondaryStatus: expected one of a job that is Completed, found `Training`"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Failed"})",
     "job.SecondaryStatus: expected one of a job that is InProgress, found `Failed`"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "MaxRuntimeExceeded"})",
     "job.SecondaryStatus: expected one of a job that is InProgress"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "TrainingEndTime": 1795161600})",
     "job.TrainingEndTime: expected none"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "CreationTime": 1795161600,
         "LastModifiedTime": 1795161599})",
     "job.LastModifiedTime: expected a time that is not before CreationTime"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "SecondaryStatusTransitions": [
         {"Status": "Starting", "StartTime": 20, "EndTime": 30}, {"Status": "Training", "StartTime": 10}]})",
     "job.SecondaryStatusTransitions[1].StartTime: expected a time that is not before"},
    {R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "SecondaryStatusTransitions": [
         {"Status": "Starting", "StartTime": 20}]})",
     "job.SecondaryStatusTransitions: expected the last one to be `Training`"},
    {R"({"StoppingCondition": {"MaxRuntimeInSeconds": -1}})",
     "job.StoppingCondition.MaxRuntimeInSeconds: expected a number of 0 or more, found `-1`"},
    {R"({"TrainingTimeInSeconds": -60})", "job.TrainingTimeInSeconds: expected a number of 0"},
    {R"({"ResourceConfig": {"InstanceType": "p4d.24xlarge"}})",
     "job.ResourceConfig.InstanceType: expected an instance type such as `ml.m5.large`"},
    {R"({"ResourceConfig": {"InstanceGroups": [{"InstanceType": "m5.large"}]}})",
     "job.ResourceConfig.InstanceGroups[0].InstanceType: expected an instance type"},
};

TEST(TestT1, AnImpossibleJobIsAMistake) {
  for (const WrongJob& wrong : kWrongJobs) {
    const Printed printed = run_one(R"("name": "a", "tags": {}, "expect": {"rules": []}, "job": )" +
                                    std::string(wrong.job));
    EXPECT_EQ(printed.status, 2) << wrong.job << printed.output;
    EXPECT_SAYS(printed, wrong.says);
  }
}

// What looks odd and is not: AWS tells it of real jobs.
TEST(TestT1, AnUncommonJobIsNoMistake) {
  for (
      const std::string_view job : {
          R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxRuntimeExceeded"})",
          R"({"TrainingJobStatus": "Completed", "SecondaryStatus": "MaxRuntimeExceeded"})",
          R"({"TrainingJobStatus": "Stopping", "SecondaryStatus": "Uploading"})",
          R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Interrupted"})",
          R"({"TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
               "FinalMetricDataList": [{"MetricName": "reward", "Value": -3.5}]})",
          R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped", "SecondaryStatusTransitions": [
               {"Status": "Starting", "StartTime": 10, "EndTime": 20}, {"Status": "Stopping", "StartTime": 20}]})",
          R"({"TrainingJobStatus": "Failed", "SecondaryStatus": "Failed", "CreationTime": 100, "LastModifiedTime": 100})",
      }) {
    const Printed printed = run_one(
        R"("name": "a", "tags": {"team": "vision"}, "expect": {"verdicts": {"required-tags": "false"}}, "job": )" +
        std::string(job));
    EXPECT_EQ(printed.status, 0) << job << printed.output;
  }
}

TEST(TestT1, TheDecisionIsNotBeforeWhatTheJobTells) {
  for (const std::string_view member :
       {"TrainingStartTime", "TrainingEndTime", "LastModifiedTime", "CreationTime"}) {
    const auto run_at = [member](std::string_view now) {
      return run_one(fmt::format(
          R"("name": "a", "tags": {{}}, "expect": {{"rules": []}}, "now": "{}", "job": {{
             "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed", "{}": "2026-11-20T08:00:00Z"}})",
          now, member));
    };
    const Printed early = run_at("2026-11-20T07:59:59Z");
    EXPECT_EQ(early.status, 2) << member << early.output;
    EXPECT_SAYS(early, "now: expected a time ");
    EXPECT_EQ(run_at("2026-11-20T08:00:00Z").status, 0) << member;
  }
}

// AWS adds members, and a null is none (F2).
TEST(TestT1, MembersThatResembleNoneAreAllowed) {
  const Printed printed = run_one(R"("name": "a", "tags": {}, "expect": {"rules": []}, "job": {
      "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed", "QuantumConfig": {"Qubits": 3},
      "TrainingJobId": "x", "TrainingStartTime": null, "VpcConfig": {"Subnets": ["a"], "SecurityGroupIds": ["b"]},
      "InputDataConfig": [{"ChannelName": "train", "DataSource": {"S3DataSource": {"AttributeNames": ["a"]}}}]})");
  EXPECT_EQ(printed.status, 0) << printed.output;
}

}  // namespace
}  // namespace trainwarden::cli::test_job_test
