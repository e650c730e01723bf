#include "tests/localaws/job_view.h"

#include <gtest/gtest.h>

#include <string>

namespace trainwarden::localaws {
namespace {

using std::chrono::milliseconds;

const sys_millis kNow{milliseconds(1'783'000'000'500)};

Job make_job(std::string_view request) {
  return Job{.name = "train-1",
             .arn = "arn:aws:sagemaker:us-east-1:111122223333:training-job/train-1",
             .document = *json::Document::parse(request),
             .tags = {{"team", "vision"}},
             .machine = JobMachine(kNow, std::chrono::seconds(60))};
}

json::Document describe(const Job& job) {
  json::Writer out;
  write_description(out, job);
  return *json::Document::parse(out.take());
}

TEST(Description, HasWhatWasGivenTheDefaultsAndFractionalTimes) {
  const Job job = make_job(
      R"({"TrainingJobName":"train-1","OutputDataConfig":{"S3OutputPath":"s3://b/o"},
          "Environment":{"EMPTY":""},"Tags":[{"Key":"team","Value":"vision"}],
          "SessionChainingConfig":{"EnableSessionTagChaining":true}})");
  const json::Document document = describe(job);
  const json::Value root = document.root();
  EXPECT_EQ(root.find("CreationTime")->as_number(), 1'783'000'000.5);
  EXPECT_EQ(json::to_text(*root.find("OutputDataConfig")),
            R"({"S3OutputPath":"s3://b/o","KmsKeyId":""})");
  EXPECT_EQ(json::to_text(*root.find("StoppingCondition")), R"({"MaxRuntimeInSeconds":86400})");
  EXPECT_EQ(json::to_text(*root.find("Environment")), R"({"EMPTY":""})");
  EXPECT_FALSE(root.find("EnableManagedSpotTraining")->as_boolean());
  for (const char* absent : {"Tags", "SessionChainingConfig", "TrainingStartTime", "FailureReason",
                             "ModelArtifacts", "BillableTimeInSeconds"})
    EXPECT_FALSE(root.find(absent)) << absent;
}

TEST(Event, ResemblesDescribeButIsNotIt) {
  const Job job = make_job(R"({"RoleArn":"arn:r","Environment":{"A":"b"}})");
  const auto event = json::Document::parse(state_change_event(job, "us-east-1", "111122223333"));
  ASSERT_TRUE(event);
  const json::Value root = event->root();
  EXPECT_EQ(root.find("source")->as_string(), "aws.sagemaker");
  EXPECT_EQ(root.find("detail-type")->as_string(), "SageMaker Training Job State Change");
  EXPECT_EQ(root.find("time")->as_string(), "2026-07-02T13:46:40Z");
  const json::Value detail = *root.find("detail");
  EXPECT_EQ(detail.find("CreationTime")->as_integer(), 1'783'000'000'500);
  EXPECT_EQ(json::to_text(*detail.find("Tags")), R"({"team":"vision"})");
  EXPECT_TRUE(detail.find("TuningJobArn")->is_null());
  EXPECT_TRUE(detail.find("TrainingEndTime")->is_null());
  EXPECT_EQ(detail.find("RoleArn")->as_string(), "arn:r");
  EXPECT_FALSE(detail.find("Environment"));
}

TEST(PlacedJob, IsDescribedAsItWasPlaced) {
  auto document = json::Document::parse(
      R"({"TrainingJobStatus":"Failed","SecondaryStatus":"Failed","FailureReason":"CapacityError",
          "CreationTime":"2026-07-02 13:46:40+00:00","TrainingEndTime":1783000100,
          "SecondaryStatusTransitions":[{"Status":"Starting","StartTime":"1783000000000"}],
          "TrainingTimeInSeconds":7,"FinalMetricDataList":[],"TuningJobArn":"arn:t",
          "Tags":{"a":"b"}})");
  const auto job = placed_job("p", "arn:p", std::move(*document), kNow);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->tags, (Tags{{"a", "b"}}));
  const json::Document described = describe(*job);
  const json::Value root = described.root();
  EXPECT_EQ(root.find("CreationTime")->as_number(), 1'783'000'000);
  EXPECT_EQ(root.find("TrainingTimeInSeconds")->as_integer(), 7);
  EXPECT_EQ(root.find("TuningJobArn")->as_string(), "arn:t");
  EXPECT_EQ(root.find("FailureReason")->as_string(), "CapacityError");
  EXPECT_EQ(json::to_text(*root.find("SecondaryStatusTransitions")),
            R"([{"Status":"Starting","StartTime":1783000000,"StatusMessage":""}])");
  EXPECT_FALSE(root.find("TrainingStartTime"));
}

TEST(PlacedJob, SaysWhatIsWrong) {
  for (const auto& [json, expected] :
       {std::pair<std::string, std::string>{"[]", "the job"},
        {R"({"CreationTime":"yesterday"})", "CreationTime"},
        {R"({"TrainingJobStatus":1})", "TrainingJobStatus"},
        {R"({"SecondaryStatusTransitions":[{"Status":"Training"}]})", "StartTime"}}) {
    const auto job = placed_job("p", "arn:p", *json::Document::parse(json), kNow);
    ASSERT_FALSE(job) << json;
    EXPECT_NE(job.error().message.find(expected), std::string::npos) << job.error().message;
  }
}

}  // namespace
}  // namespace trainwarden::localaws
