// What a name that leads to no fact was probably meant to be (P2).
#include "handlers/rules/facts/suggestions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::suggestions_test {
namespace {

struct Case {
  std::string_view match;
  std::string_view question;  // with which the mistake ends; empty: it asks nothing
};

constexpr Case kAsked[] = {
    // In place of a group.
    {R"({"team": ["a"]})", "; did you mean `tags.team`?"},
    {R"({"Owner": ["a"]})", "; did you mean `tags.Owner`?"},
    {R"({"cost-center": ["a"]})", "; did you mean `tags.cost-center`?"},
    {R"({"stage": ["a"]})", "; did you mean `tags.stage`?"},
    {R"({"TrainingJobStatus": ["InProgress"]})", "; did you mean `job.TrainingJobStatus`?"},
    {R"({"TrainingJobStatuss": ["InProgress"]})", "; did you mean `job.TrainingJobStatus`?"},
    {R"({"hyperparameter": {"lr": ["1"]}})", "; did you mean `job.HyperParameters.lr`?"},
    {R"({"HyperParameters": {"lr": ["1"]}})", "; did you mean `job.HyperParameters.lr`?"},
    {R"({"hyperparameter": ["1"]})",
     "; did you mean one of `job.HyperParameters`, `tags.hyperparameter`?"},
    {R"({"Environment": {"STAGE": ["x"]}})", "; did you mean `job.Environment.STAGE`?"},
    {R"({"Environment": ["x"]})", "; did you mean one of `job.Environment`, `tags.Environment`?"},
    {R"({"instance_types": ["ml.m5.large"]})", "; did you mean `resources.instance_types`?"},
    {R"({"instance_type": ["ml.m5.large"]})",
     "; did you mean one of `resources.instance_types`, `tags.instance_type`?"},
    {R"({"training_seconds": [1]})",
     "; did you mean one of `runtime.training_seconds`, `spot.training_seconds`?"},
    {R"({"hour": [1]})", "; did you mean one of `time.hour`, `tags.hour`?"},
    {R"({"CheckpointConfig": {"S3Uri": ["x"]}})", "; did you mean `job.CheckpointConfig.S3Uri`?"},
    {R"({"EnableManagedSpot": [true]})", "; did you mean `job.EnableManagedSpotTraining`?"},
    {R"({"epochs": ["3"]})", "; did you mean `job.HyperParameters.epochs`?"},
    {R"({"tag": {"team": ["a"]}})", "; did you mean `tags`?"},
    {R"({"resource": {"gpus": [1]}})", "; did you mean `resources`?"},
    // Inside `job`.
    {R"({"job": {"team": ["a"]}})", "; did you mean `tags.team`?"},
    {R"({"job": {"Owner": ["a"]}})", "; did you mean `tags.Owner`?"},
    {R"({"job": {"tags": {"team": ["a"]}}})", "; did you mean `tags.team`?"},
    {R"({"job": {"Tags": {"team": ["a"]}}})", "; did you mean `tags.team`?"},
    {R"({"job": {"tags": ["a"]}})", "; did you mean `tags`?"},
    {R"({"job": {"resources": {"gpus": [1]}}})", "; did you mean `resources.gpus`?"},
    {R"({"job": {"instance_types": ["ml.m5.large"]}})",
     "; did you mean `resources.instance_types`?"},
    {R"({"job": {"EnableManagedSpot": [true]}})", "; did you mean `EnableManagedSpotTraining`?"},
    {R"({"job": {"epochs": ["3"]}})", "; did you mean `HyperParameters.epochs`?"},
    {R"({"job": {"hyperparameters": {"epochs": ["3"]}}})",
     "; did you mean `HyperParameters.epochs`?"},
    {R"({"job": {"TrainingJobStatuss": ["x"]}})", "; did you mean `TrainingJobStatus`?"},
    // In another group.
    {R"({"runtime": {"gpus": [1]}})", "; did you mean `resources.gpus`?"},
    {R"({"resources": {"gpu": [1]}})", "; did you mean `gpus`?"},
    {R"({"time": {"blue": [1]}})", ""},
    // Words of AWS that nobody knows are no tags.
    {R"({"job": {"QuantumConfig": ["x"]}})", ""},
    {R"({"job": {"QuantumConfig": {"Qubits": [1]}}})", ""},
    {R"({"zzz": {"a": {"b": [1]}}})", ""},
};

TEST(SuggestionsP2, AnUnknownNameIsAskedAbout) {
  for (const char* const where : {"match", "unless"}) {
    for (const Case& c : kAsked) {
      const std::string other =
          std::string(where) == "unless" ? R"("match": {"tags": {"a": ["b"]}}, )" : "";
      const auto found =
          check_policy(test::stop_rule(other + "\"" + where + "\": " + std::string(c.match)));
      ASSERT_EQ(found.size(), 1U) << c.match;
      const std::size_t question = found[0].message.find("; did you mean ");
      EXPECT_EQ(question == std::string::npos ? "" : found[0].message.substr(question), c.question)
          << c.match;
    }
  }
}

// Issue 41, 6: a pattern for EventBridge that was pasted into `match`.
TEST(SuggestionsP2, APatternForEventBridgeIsToldSo) {
  const auto found = check_policy(test::stop_rule(
      R"("match": {"source": ["aws.sagemaker"], "detail-type": ["SageMaker Training Job State Change"],
         "detail": {"TrainingJobStatus": ["Failed"], "Tags": {"team": ["a"]}}})"));
  ASSERT_EQ(found.size(), 4U);
  for (const Remark& one : found) {
    EXPECT_NE(one.message.find("leave out `source` and `detail-type`"), std::string::npos)
        << one.message;
    EXPECT_EQ(one.message.find("did you mean"), std::string::npos) << one.message;
  }
  EXPECT_NE(found[2].message.find("`job.TrainingJobStatus`"), std::string::npos);
  EXPECT_NE(found[3].message.find("its tags into `tags`"), std::string::npos);
  // Who followed the advice of an earlier version is warned; a tag of that name is allowed.
  const auto warnings = [](std::string_view tags) {
    return test::policy(test::stop_rule(R"("match": {"tags": )" + std::string(tags) + "}"))
        .warnings()
        .size();
  };
  EXPECT_EQ(warnings(R"({"source": ["aws.sagemaker"]})"), 1U);
  EXPECT_EQ(warnings(R"({"detail-type": ["SageMaker Training Job State Change"]})"), 1U);
  EXPECT_EQ(warnings(R"({"source": ["git"], "detail-type": ["x"]})"), 0U);
}

TEST(SuggestionsP2, WhatAwsAddedLatelyIsNoMistake) {
  for (const char* match :
       {R"({"job": {"ServerlessJobConfig": {"JobType": ["x"]}}})",
        R"({"job": {"ResourceConfig": {"TrainingPlanArn": ["x"]}}})",
        R"({"job": {"StoppingCondition": {"MaxPendingTimeInSeconds": [7200]}}})",
        R"({"job": {"MlflowConfig": {"MlflowRunName": ["x"]}}})",
        R"({"job": {"ProgressInfo": {"CurrentEpoch": [1]}}})",
        R"({"job": {"OutputModelPackageArn": [{"exists": true}]}})",
        R"({"job": {"InfraCheckConfig": {"EnableInfraCheck": [true]}}})",
        R"({"tags": {"TrainingJobStatus": ["x"], "hyperparameter": ["x"]}})"})
    EXPECT_TRUE(check_policy(test::stop_rule(R"("match": )" + std::string(match))).empty())
        << match;
}

}  // namespace
}  // namespace trainwarden::rules::suggestions_test
