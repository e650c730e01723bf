// What a restart changes of a job's settings, in the request for its copy (policy.md A3).
#include "handlers/rules/job/copy_settings.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "handlers/rules/outcome/outcome_text.h"
#include "handlers/rules/restart/copy_request.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::copy_settings_test {
namespace {

constexpr const char* kSpot =
    R"({"TrainingJobName": "a", "EnableManagedSpotTraining": true,
        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2},
        "HyperParameters": {"batch_size": "16", "epochs": "3", "none": null},
        "Environment": {"NCCL_DEBUG": "INFO"},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200,
                              "MaxPendingTimeInSeconds": 9000}})";
constexpr const char* kOnDemand =
    R"({"TrainingJobName": "a", "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2}})";

std::expected<std::string, Reason> copy(const std::string& describe, const CopyChanges& changes) {
  const auto job = test::doc(describe);
  const auto tags = test::doc("{}");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a");
  return copy_request({job.root(), tags.root(), lineage, changes, "a-r1-01234567"});
}

// One member of the copy as JSON text; "absent" where there is none, else why there is no copy.
std::string member(const std::string& describe, std::string_view name, CopySettings settings,
                   std::optional<bool> spot = {}) {
  const auto made =
      copy(describe, {.spot = spot, .instance_type = {}, .settings = std::move(settings)});
  if (!made) return text(made.error());
  const auto body = test::doc(*made);
  const auto found = body.root().find(name);
  return found ? json::to_text(*found) : "absent";
}

TEST(CopySettings, A3_KeysAreSetAndRemovedAndTheOthersStay) {
  const CopySettings settings{
      .hyperparameters = {{"batch_size", "8"}, {"gone", std::nullopt}, {"resume", ""}},
      .environment = {{"NCCL_DEBUG", std::nullopt}, {"OMP_NUM_THREADS", "4"}}};
  EXPECT_EQ(member(kSpot, "HyperParameters", settings),
            R"({"epochs":"3","batch_size":"8","resume":""})");
  EXPECT_EQ(member(kSpot, "Environment", settings), R"({"OMP_NUM_THREADS":"4"})");
  EXPECT_EQ(member(kOnDemand, "HyperParameters", settings), R"({"batch_size":"8","resume":""})");
  EXPECT_EQ(member(kSpot, "Environment", {.environment = {{"NCCL_DEBUG", std::nullopt}}}),
            "absent");
  EXPECT_EQ(member(kOnDemand, "Environment", {.environment = {{"X", std::nullopt}}}), "absent");
}

TEST(CopySettings, A3_TheTimesTakeThePlaceOfTheJobs) {
  EXPECT_EQ(member(kOnDemand, "StoppingCondition", {.max_runtime_seconds = 7200}),
            R"({"MaxRuntimeInSeconds":7200})");
  EXPECT_EQ(member(R"({"TrainingJobName": "a"})", "StoppingCondition", {.max_runtime_seconds = 7}),
            R"({"MaxRuntimeInSeconds":7})");
  EXPECT_EQ(
      member(kSpot, "StoppingCondition", {.max_runtime_seconds = 7000, .max_wait_seconds = 9000}),
      R"({"MaxRuntimeInSeconds":7000,"MaxWaitTimeInSeconds":9000,"MaxPendingTimeInSeconds":9000})");
  EXPECT_EQ(member(kSpot, "StoppingCondition", {.max_runtime_seconds = 7200}),
            R"({"MaxRuntimeInSeconds":7200,"MaxWaitTimeInSeconds":7200,)"
            R"("MaxPendingTimeInSeconds":9000})");
}

// Create takes a time to wait on spot only.
TEST(CopySettings, A3_OnlyACopyOnSpotWaits) {
  EXPECT_EQ(member(kOnDemand, "StoppingCondition", {.max_wait_seconds = 9000}),
            R"({"MaxRuntimeInSeconds":3600})");
  EXPECT_EQ(member(kSpot, "StoppingCondition", {.max_wait_seconds = 9000}, false),
            R"({"MaxRuntimeInSeconds":3600,"MaxPendingTimeInSeconds":9000})");
  EXPECT_EQ(member(kOnDemand, "StoppingCondition", {.max_wait_seconds = 9000}, true),
            R"({"MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":9000})");
  EXPECT_EQ(member(kOnDemand, "StoppingCondition", {.max_runtime_seconds = 5000}, true),
            R"({"MaxRuntimeInSeconds":5000,"MaxWaitTimeInSeconds":5000})");
}

TEST(CopySettings, A3_ATimeToWaitThatIsTooShortIsRefused) {
  EXPECT_EQ(member(kSpot, "StoppingCondition", {.max_runtime_seconds = 7201}),
            "the copy would have a MaxWaitTimeInSeconds of 7200, which contains its "
            "MaxRuntimeInSeconds, 7201: the restart needs max_wait_seconds too");
  EXPECT_TRUE(member(kSpot, "StoppingCondition", {.max_wait_seconds = 3599})
                  .starts_with("the copy would have a MaxWaitTimeInSeconds of 3599"));
  EXPECT_TRUE(member(R"({"EnableManagedSpotTraining": true})", "StoppingCondition",
                     {.max_wait_seconds = 86399})
                  .ends_with(" 86400: the restart needs max_wait_seconds too"));
}

TEST(CopySettings, A3_TheInstanceCount) {
  EXPECT_EQ(member(kSpot, "ResourceConfig", {.instance_count = 4}),
            R"({"InstanceCount":4,"InstanceType":"ml.g5.xlarge"})");
  const std::string groups = R"({"ResourceConfig": {"InstanceCount": 0, "InstanceGroups": [
      {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2, "InstanceGroupName": "g"}]}})";
  EXPECT_EQ(member(groups, "ResourceConfig", {.instance_count = 4}),
            "it has instance groups, each with a count of its own, and instance_count fits none");
  EXPECT_EQ(member(R"({"ServerlessJobConfig": {"JobType": "FineTuning"}})", "ResourceConfig",
                   {.instance_count = 4}),
            "it has no machines of its own whose number instance_count could change");
  EXPECT_EQ(member(groups, "Environment", {.environment = {{"X", "1"}}}), R"({"X":"1"})");
}

std::string with_hyperparameters(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format(R"({}"k{}": "v")", i > 0 ? ", " : "", i);
  return R"({"HyperParameters": {)" + out + "}}";
}

// The job's own keys count as they are when the copy is made.
TEST(CopySettings, A3_MoreThanAHundredKeysAreRefused) {
  const std::string full = with_hyperparameters(100);
  EXPECT_EQ(member(full, "HyperParameters", {.hyperparameters = {{"one_more", "x"}}}),
            "the copy's HyperParameters would have 101 keys, and a job takes 100");
  const auto fits = [&](const EntryChanges& changes) {
    return copy(full, {.spot = {}, .instance_type = {}, .settings = {.hyperparameters = changes}})
        .has_value();
  };
  EXPECT_TRUE(fits({{"k7", "x"}}));
  EXPECT_TRUE(fits({{"one_more", "x"}, {"k7", std::nullopt}}));
  EXPECT_TRUE(fits({{"one_less", std::nullopt}}));
}

std::string said(const std::string& text, const CopySettings& settings) {
  const auto job = test::doc(
      R"({"HyperParameters": {"password": "opensesame", "epochs": "3"}, "RoleArn": "r"})");
  const auto tags = test::doc("{}");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a");
  const CopyChanges changes{.spot = {}, .instance_type = {}, .settings = settings};
  return without_values({job.root(), tags.root(), lineage, changes, ""}, text);
}

TEST(CopySettings, R1_WhatAwsSaysOfARequestIsToldWithoutTheirValues) {
  const CopySettings settings{.environment = {{"TOKEN", "hunter2"}, {"LONGER", "hunter2000"}}};
  EXPECT_EQ(said("hunter2000, hunter2 and opensesame; 3", settings),
            "(hidden), (hidden) and (hidden); 3");
  EXPECT_EQ(said("2 errors: Value 'a' at 'environment' x; Value 'it's' at 'environment.T' y", {}),
            "2 errors: Value '(hidden)' at 'environment.T' y");
  EXPECT_EQ(said("Value '{k=v}' at 'hyperParameters' failed", {}),
            "Value '(hidden)' at 'hyperParameters' failed");
  EXPECT_EQ(said("Value 'cut off before its pa", {}), "Value '(hidden)");
  // What is no value of theirs is worth knowing.
  EXPECT_EQ(said("Value 'ml.x.large' at 'resourceConfig.instanceType' failed", settings),
            "Value 'ml.x.large' at 'resourceConfig.instanceType' failed");
}

}  // namespace
}  // namespace trainwarden::rules::copy_settings_test
