// `trainwarden test`: a job that AWS could not have described (T1).
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/cli/policy_cases.h"

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
};

TEST(TestT1, AnImpossibleJobIsAMistake) {
  for (const WrongJob& wrong : kWrongJobs) {
    const Printed printed = run_one(R"("name": "a", "tags": {}, "expect": {"rules": []}, "job": )" +
                                    std::string(wrong.job));
    EXPECT_EQ(printed.status, 2) << wrong.job << printed.output;
    EXPECT_SAYS(printed, wrong.says);
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
