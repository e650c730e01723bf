#include "tests/localaws/sagemaker/job_view.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace trainwarden::localaws::job_view_test {
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
            R"([{"Status":"Starting","StartTime":1783000000}])");
  EXPECT_FALSE(root.find("TrainingStartTime"));
}

Job place(std::string_view text) {
  auto job = placed_job("p", "arn:made", *json::Document::parse(text), kNow);
  EXPECT_TRUE(job) << text;
  return std::move(*job);
}

TEST(PlacedJob, GetsNothingThatItsDocumentHasNot) {
  constexpr std::string_view kWhole =
      R"({"TrainingJobName":"p","TrainingJobArn":"arn:given","TrainingJobStatus":"Stopped",
          "SecondaryStatus":"Stopped","FailureReason":"","CreationTime":1783000000.123456,
          "LastModifiedTime":1783000009.5,"TrainingStartTime":1783000001,
          "TrainingEndTime":1783000009,"OutputDataConfig":{"S3OutputPath":"s3://b/o"},
          "AlgorithmSpecification":{"TrainingImage":""},"SessionChainingConfig":{},
          "SecondaryStatusTransitions":[
            {"Status":"Stopped","StartTime":1783000009.25,"EndTime":1783000009.5,"More":[""]}],
          "EnableManagedSpotTraining":true,"Unknown":{"a":[null,""]}})";
  EXPECT_TRUE(json::equal(describe(place(kWhole)).root(), json::Document::parse(kWhole)->root()));

  const Job job = place(
      R"({"TrainingJobArn":null,"CreationTime":1783000000,"StoppingCondition":null,
          "SecondaryStatusTransitions":null,"FailureReason":null,"Tags":null,"RoleArn":""})");
  EXPECT_TRUE(json::equal(
      describe(job).root(),
      json::Document::parse(
          R"({"TrainingJobName":"p","TrainingJobArn":"arn:made","TrainingJobStatus":"InProgress",
              "SecondaryStatus":"Training","CreationTime":1783000000,"RoleArn":""})")
          ->root()));
  EXPECT_EQ(describe(place("{}")).root().find("CreationTime")->as_number(), 1'783'000'000.5);
  EXPECT_EQ(place(R"({"TrainingJobArn":""})").arn, "");
}

TEST(PlacedJob, ShowsWhatHappenedSince) {
  Job job = place(
      R"({"CreationTime":1783000000,"LastModifiedTime":1783000000,"TrainingStartTime":1783000000,
          "OutputDataConfig":{"S3OutputPath":"s3://b/o"},
          "SecondaryStatusTransitions":[{"Status":"Training","StartTime":1783000000,"More":1}]})");
  ASSERT_TRUE(job.machine.stop(kNow));
  ASSERT_TRUE(job.machine.step(kNow + milliseconds(9500)));
  EXPECT_TRUE(json::equal(
      describe(job).root(),
      json::Document::parse(
          R"({"TrainingJobName":"p","TrainingJobArn":"arn:made","TrainingJobStatus":"Stopped",
              "SecondaryStatus":"Stopped","CreationTime":1783000000,
              "LastModifiedTime":1783000001.5,"TrainingStartTime":1783000000,
              "TrainingEndTime":1783000001.5,"TrainingTimeInSeconds":1,"BillableTimeInSeconds":1,
              "OutputDataConfig":{"S3OutputPath":"s3://b/o"},
              "ModelArtifacts":{"S3ModelArtifacts":"s3://b/o/p/output/model.tar.gz"},
              "SecondaryStatusTransitions":[
                {"Status":"Training","StartTime":1783000000,"More":1,"EndTime":1783000000.5},
                {"Status":"Stopping","StartTime":1783000000.5,"EndTime":1783000001.5,
                 "StatusMessage":"Stopping the training job"},
                {"Status":"Stopped","StartTime":1783000001.5,"EndTime":1783000001.5,
                 "StatusMessage":"Training job stopped"}]})")
          ->root()))
      << json::to_text(describe(job).root());

  Job bare = place(R"({"CreationTime":1783000000})");
  bare.machine.force(
      {.secondary = "Interrupted", .status = {}, .failure_reason = {}, .message = {}}, kNow);
  const json::Document described = describe(bare);
  EXPECT_EQ(described.root().find("SecondaryStatusTransitions")->size(), 1U);
  EXPECT_EQ(described.root().find("LastModifiedTime")->as_number(), 1'783'000'000.5);
  EXPECT_FALSE(described.root().find("TrainingEndTime"));
}

TEST(PlacedJob, SaysWhatIsWrong) {
  for (const auto& [json, expected] :
       {std::pair<std::string, std::string>{"[]", "the job"},
        {R"({"CreationTime":"yesterday"})", "CreationTime"},
        {R"({"TrainingJobStatus":1})", "TrainingJobStatus"},
        {R"({"TrainingJobArn":1})", "TrainingJobArn"},
        {R"({"Tags":5})", "`Tags`: expected a list of Key and Value, or a map, found 5"},
        {R"({"Tags":"a"})", "`Tags`"},
        {R"({"Tags":{"a":1}})", "Tags.a"},
        {R"({"Tags":[5]})", "Tags[]"},
        {R"({"Tags":[{"Key":"a"}]})", "Value"},
        {R"({"Tags":[{"Key":"a","Value":null}]})", "Tags[].Value"},
        {R"({"Tags":[{"Key":1,"Value":"b"}]})", "Tags[].Key"},
        {R"({"SecondaryStatusTransitions":[{"Status":"Training"}]})", "StartTime"}}) {
    const auto job = placed_job("p", "arn:p", *json::Document::parse(json), kNow);
    ASSERT_FALSE(job) << json;
    EXPECT_NE(job.error().message.find(expected), std::string::npos) << job.error().message;
  }
}

}  // namespace
}  // namespace trainwarden::localaws::job_view_test
