// `trainwarden test`: what is not given (T3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/cli/test/policy_cases.h"

namespace trainwarden::cli::test_given_test {
namespace {

using namespace policy_cases;

TEST(TestT3, TagsThatAreNotGivenAreNotAbsent) {
  const std::string members = R"("name": "a", )" + std::string(kStarting) + R"(, "expect": )";
  const Printed printed = run_one(members + R"({"rules": []})");
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "rule `required-tags`: not decided: the tags are not given");
  EXPECT_EQ(run_one(members + R"({"rules": ["required-tags"]})").status, 1);
  EXPECT_EQ(run_one(members + R"({"actions": []})").status, 1);
  const Printed verdict = run_one(members + R"({"verdicts": {"required-tags": "false"}})");
  EXPECT_EQ(verdict.status, 1);
  EXPECT_SAYS(verdict, "expected false, but it is not decided: the tags are not given");
}

TEST(TestT3, ThatARuleIsNotDecidedCanBeExpected) {
  const std::string members = R"("name": "a", )" + std::string(kStarting) + R"(, "expect": )";
  EXPECT_EQ(run_one(members + R"({"verdicts": {"required-tags": "unavailable"}})").status, 0);
  EXPECT_EQ(run_one(members +
                    R"({"rules": [], "actions": [], "verdicts": {"required-tags": "unavailable"}})")
                .status,
            0);
  EXPECT_EQ(run_expect(R"({"verdicts": {"required-tags": "unavailable"}})").status, 1);
}

// A rule that is false by what is given needs no more (F6).
TEST(TestT3, WhatDoesNotMatterNeedNotBeGiven) {
  const Printed printed = run_one(R"("name": "a", "expect": {"rules": []}, "job": {
      "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed"})");
  EXPECT_EQ(printed.status, 0) << printed.output;
}

struct Missing {
  std::string_view match;
  std::string_view job;  // beside its statuses
  std::string_view says;
};

constexpr Missing kMissing[] = {
    {R"({"time": {"hour": [3]}})", "", "`now` is not given"},
    {R"({"runtime": {"elapsed_seconds": [{"numeric": [">", 9]}]}})",
     R"(, "CreationTime": 1795161600)", "`now` is not given"},
    {R"({"runtime": {"training_seconds": [{"numeric": [">", 9]}]}})",
     R"(, "CreationTime": 1795161600)", "job.TrainingStartTime is not given"},
    {R"({"runtime": {"elapsed_seconds": [{"numeric": [">", 9]}]}})", "",
     "job.CreationTime is not given"},
    {R"({"resources": {"gpus": [{"numeric": [">", 0]}]}})", "", "job.ResourceConfig is not given"},
    {R"({"resources": {"spot": [true]}})",
     R"(, "ResourceConfig": {"InstanceType": "ml.m5.large", "InstanceCount": 1})",
     "job.EnableManagedSpotTraining is not given"},
    {R"({"job": {"RoleArn": [{"prefix": "arn"}]}})", "", "job.RoleArn is not given"},
    {R"({"job": {"TrainingJobName": [{"prefix": "x"}]}})", "", "job.TrainingJobName is not given"},
    {R"({"job": {"StoppingCondition": {"MaxRuntimeInSeconds": [{"exists": false}]}}})", "",
     "job.StoppingCondition is not given"},
    {R"({"spot": {"interruptions": [{"numeric": [">", 3]}]}})", "",
     "job.SecondaryStatusTransitions is not given"},
    {R"({"logs": {"silent_seconds": [{"numeric": [">=", 60]}]}})", "", "`now` is not given"},
    {R"({"until": {"keep": [{"numeric": [">", 0]}]}})", "", "the tags are not given"},
    {R"({"event": {"account": ["111122223333"]}})", "", "the event does not tell its account"},
    {R"({"cost": {"usd_per_hour": [{"numeric": [">", 3]}]}})", "",
     "job.ResourceConfig is not given"},
    {R"({"resources": {"gpus": [{"numeric": [">", 0]}]}})",
     R"(, "ResourceConfig": {"InstanceCount": 8})", "job.ResourceConfig.InstanceType is not given"},
    {R"({"resources": {"instance_count": [{"numeric": [">", 4]}]}})",
     R"(, "ResourceConfig": {"InstanceType": "ml.m5.large"})",
     "job.ResourceConfig.InstanceCount is not given"},
    {R"({"resources": {"instance_types": ["ml.m5.large"]}})",
     R"(, "ResourceConfig": {"InstanceGroups": []})",
     "job.ResourceConfig.InstanceType is not given"},
    {R"({"cost": {"usd_per_hour": [{"numeric": [">", 3]}]}})",
     R"(, "EnableManagedSpotTraining": false, "ResourceConfig": {})",
     "job.ResourceConfig.InstanceType is not given"},
    {R"({"job": {"ResourceConfig": {"InstanceType": ["ml.m5.large"]}}})",
     R"(, "ResourceConfig": {"InstanceCount": 8})", "job.ResourceConfig.InstanceType is not given"},
    {R"({"job": {"StoppingCondition": {"MaxRuntimeInSeconds": [{"numeric": [">", 9]}]}}})",
     R"(, "StoppingCondition": {})", "job.StoppingCondition.MaxRuntimeInSeconds is not given"},
    {R"({"job": {"StoppingCondition": {"MaxRuntimeInSeconds": [{"exists": false}]}}})",
     R"(, "StoppingCondition": {"MaxRuntimeInSeconds": null, "MaxWaitTimeInSeconds": 9})",
     "job.StoppingCondition.MaxRuntimeInSeconds is not given"},
    {R"({"runtime": {"remaining_seconds": [{"numeric": ["<", 9]}]}})",
     R"(, "CreationTime": 1795161600, "TrainingStartTime": 1795161600, "StoppingCondition": {})",
     "job.StoppingCondition.MaxRuntimeInSeconds is not given"},
    {R"({"lineage": {"generation": [0]}})", "", "the tags are not given"},
};

TEST(TestT3, WhatAwsTellsOfEveryJobIsNotAbsent) {
  for (const Missing& missing : kMissing) {
    const std::string policy = R"({"version": 1, "rules": [{"name": "r", "match": )" +
                               std::string(missing.match) + R"(, "actions": ["notify"]}]})";
    const Printed printed = run_one(
        R"("name": "a", "expect": {"rules": []}, "job": {"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training")" +
            std::string(missing.job) + "}",
        policy);
    EXPECT_EQ(printed.status, 1) << missing.match << printed.output << printed.error;
    EXPECT_SAYS(printed, "rule `r`: not decided: ");
    EXPECT_SAYS(printed, missing.says);
  }
}

// A time in a tag counts from `now`; without the tag there is no time at all.
TEST(TestT3, AnAbsentTagIsNoTime) {
  constexpr std::string_view kUntil = R"({"version": 1, "rules": [{"name": "r", "match":
      {"until": {"stop-at": [{"numeric": ["<=", 0]}]}}, "actions": ["notify"]}]})";
  const std::string members =
      R"("name": "a", "job": {"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training"}, )";
  EXPECT_EQ(run_one(members + R"("tags": {}, "expect": {"rules": []})", kUntil).status, 0);
  EXPECT_EQ(
      run_one(members + R"("tags": {"stop-at": "2026-11-01"}, "expect": {"rules": []})", kUntil)
          .status,
      1);
  EXPECT_EQ(run_one(members + R"("tags": {"stop-at": "2026-11-01"}, "now": "2026-11-10T00:00:00Z",
      "expect": {"rules": ["r"]})",
                    kUntil)
                .status,
            0);
}

// Machines are given whole in either of their two forms.
TEST(TestT3, WhatIsGivenOtherwiseIsNotMissing) {
  constexpr std::string_view kTypes = R"({"version": 1, "rules": [
      {"name": "types", "match": {"resources": {"instance_types": ["ml.m5.large"]}}, "actions": ["notify"]},
      {"name": "single", "match": {"job": {"ResourceConfig": {"InstanceType": [{"exists": false}]}}}, "actions": ["notify"]},
      {"name": "groups", "match": {"job": {"ResourceConfig": {"InstanceGroups": {"InstanceCount": [{"numeric": [">", 1]}]}}}},
       "actions": ["notify"]}]})";
  const auto of = [&](std::string_view resources, std::string_view rules) {
    return run_one(fmt::format(R"("name": "a", "expect": {{"rules": {}}}, "job": {{
            "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "ResourceConfig": {}}})",
                               rules, resources),
                   kTypes);
  };
  for (
      const Printed& printed :
      {of(R"({"InstanceType": "ml.m5.large"})", R"(["types"])"),
       of(R"({"InstanceType": "ml.m5.large", "InstanceCount": 3})", R"(["types"])"),
       of(R"({"InstanceGroups": [{"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "InstanceCount": 2}]})",
          R"(["types", "single", "groups"])")})
    EXPECT_EQ(printed.status, 0) << printed.output;
}

// A member that AWS does not tell of every job is absent where the description lacks it.
TEST(TestT3, WhatAwsMayLeaveOutIsAbsent) {
  constexpr std::string_view kCheckpoint = R"({"version": 1, "rules": [{"name": "r", "match":
      {"job": {"CheckpointConfig": {"S3Uri": [{"exists": false}]}}}, "actions": ["notify"]}]})";
  EXPECT_EQ(
      run_one(R"("name": "a", "expect": {"rules": ["r"]}, "job": {"TrainingJobStatus": "InProgress",
      "SecondaryStatus": "Training"})",
              kCheckpoint)
          .status,
      0);
}

// W4: whether an alarm is confirmed rests on when the job began to train, and so does all that its
// message brings.
TEST(TestT3, WithoutTheMomentAnAlarmBringsNothing) {
  const std::string members = R"("name": "a", "tags": {}, "alarm": {"watch": "gpu-idle"}, "job": {
      "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training"}, "expect": )";
  const Printed printed = run_one(members + R"({"rules": ["required-tags", "stop-idle"]})");
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed,
              "rule `required-tags`: not decided: `now` is not given; "
              "job.SecondaryStatusTransitions is not given");
  EXPECT_SAYS(printed, "rule `stop-idle`: not decided: `now` is not given");
  EXPECT_EQ(run_one(members + R"({"verdicts": {"required-tags": "true"}})").status, 1);
}

TEST(TestT3, AnAlarmOfAnotherStateNeedsNoMoment) {
  const Printed printed =
      run_one(R"("name": "a", "tags": {}, "alarm": {"watch": "gpu-idle", "state": "OK"},
      "job": {"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training"}, "expect": {"rules": []})");
  EXPECT_EQ(printed.status, 0) << printed.output;
}

TEST(TestT3, WithSinceAStopNeedsTheCreation) {
  constexpr std::string_view kSince =
      R"({"version": 1, "since": "2026-11-20T00:00:00Z", "rules": [{"name": "r",
      "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["stop"]}]})";
  const Printed printed =
      run_one(R"("name": "a", "expect": {"rules": ["r"]}, "job": {"TrainingJobStatus": "InProgress",
      "SecondaryStatus": "Training"})",
              kSince);
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "job.CreationTime is not given");
}

}  // namespace
}  // namespace trainwarden::cli::test_given_test
