#include "handlers/rules/restart/copy_request.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "handlers/rules/outcome/outcome_text.h"
#include "tests/support/files.h"

namespace trainwarden::rules::copy_request_test {
namespace {

json::Document parse(std::string_view text) {
  auto parsed = json::Document::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().message << "\n" << text;
  return *std::move(parsed);
}

struct Wish {
  CopyChanges changes = {};
  const char* tags = "{}";
  CopyParts parts = {};
};

std::expected<json::Document, Reason> copy(std::string_view describe, const Wish& wish = {}) {
  const auto job = parse(describe);
  const auto tags = parse(wish.tags);
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a");
  auto body =
      copy_request({job.root(), tags.root(), lineage, wish.changes, "a-r1-01234567", wish.parts});
  if (!body) return std::unexpected(body.error());
  return parse(*body);
}

// One member of the copy as JSON text; "absent" where there is none.
std::string member(std::string_view describe, std::string_view name, const Wish& wish = {}) {
  const auto made = copy(describe, wish);
  EXPECT_TRUE(made);
  const auto found = made ? made->root().find(name) : std::nullopt;
  return found ? json::to_text(*found) : "absent";
}

TEST(TrainingCopy, A3_IsNamedAndTaggedAsTheCopyOfItsParent) {
  const char* const describe = R"({"TrainingJobName": "a", "RoleArn": "r"})";
  EXPECT_EQ(member(describe, "TrainingJobName"), R"("a-r1-01234567")");
  EXPECT_EQ(
      member(describe, "Tags", {.tags = R"({"team": "vision"})"}),
      R"([{"Key":"team","Value":"vision"},{"Key":"trainwarden:root","Value":"a"},)"
      R"({"Key":"trainwarden:parent","Value":"a"},{"Key":"trainwarden:generation","Value":"1"}])");
}

TEST(TrainingCopy, A3_WhatOnlyDescribeHasIsLeftOut) {
  const auto made = copy(
      R"({"TrainingJobName": "a", "TrainingJobArn": "arn", "TrainingJobStatus": "Failed",
          "SecondaryStatus": "Failed", "FailureReason": "x", "CreationTime": 1,
          "ModelArtifacts": {"S3ModelArtifacts": "s3://b/m"}, "BillableTimeInSeconds": 5,
          "SecondaryStatusTransitions": [{"Status": "Failed", "StartTime": 1}],
          "SomethingNew": {"a": 1}, "RoleArn": "r"})");
  std::vector<std::string> names;
  for (const json::Member m : made->root().members()) names.emplace_back(m.name);
  EXPECT_EQ(names, (std::vector<std::string>{"TrainingJobName", "RoleArn", "Tags"}));
}

TEST(TrainingCopy, A3_EveryMemberThatDescribeReturnsSurvives) {
  for (const std::string_view name : copied_members()) {
    const std::string describe =
        fmt::format(R"({{"TrainingJobName": "a", "{}": {{"Inner": ["v", 1, true]}}}})", name);
    EXPECT_EQ(member(describe, name), R"({"Inner":["v",1,true]})") << name;
  }
}

TEST(TrainingCopy, A3_TheMembersAreThoseThatBothCallsHave) {
  const auto path = testing::kShared / "samples/clone_fields.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "28 cases need " << path.string() << ", which is not here";
  const auto table = parse(testing::read_text(path));
  std::set<std::string_view> wanted;
  for (const json::Value name : table.root().find("copyable_from_describe")->elements())
    wanted.insert(name.as_string());
  wanted.erase("TrainingJobName");
  EXPECT_EQ(std::set<std::string_view>(copied_members().begin(), copied_members().end()), wanted);
}

TEST(TrainingCopy, A3_NullsAndEmptyValuesAreStrippedAtEveryDepth) {
  EXPECT_EQ(member(R"({"OutputDataConfig": {"KmsKeyId": "", "S3OutputPath": "s3://b/o"}})",
                   "OutputDataConfig"),
            R"({"S3OutputPath":"s3://b/o"})");
  EXPECT_EQ(member(R"({"InputDataConfig": [{"ChannelName": "train", "ContentType": "",
                        "DataSource": {"S3DataSource": {"S3Uri": "s3://b/d", "AttributeNames": [],
                                                        "X": null}},
                        "ShuffleConfig": {}}, {}, null]})",
                   "InputDataConfig"),
            R"([{"ChannelName":"train","DataSource":{"S3DataSource":{"S3Uri":"s3://b/d"}}}])");
  EXPECT_EQ(
      member(R"({"VpcConfig": {"Subnets": [], "SecurityGroupIds": [null, ""]}})", "VpcConfig"),
      "absent");
  EXPECT_EQ(member(R"({"CheckpointConfig": null})", "CheckpointConfig"), "absent");
}

TEST(TrainingCopy, A3_FalseAndZeroAreValues) {
  EXPECT_EQ(member(R"({"EnableNetworkIsolation": false})", "EnableNetworkIsolation"), "false");
  EXPECT_EQ(member(R"({"RetryStrategy": {"MaximumRetryAttempts": 0}})", "RetryStrategy"),
            R"({"MaximumRetryAttempts":0})");
}

TEST(TrainingCopy, A3_AnEmptyStringIsAValueInHyperParametersAndEnvironment) {
  EXPECT_EQ(member(R"({"HyperParameters": {"flag": "", "epochs": "3", "none": null}})",
                   "HyperParameters"),
            R"({"flag":"","epochs":"3"})");
  EXPECT_EQ(member(R"({"Environment": {"NCCL_DEBUG": ""}})", "Environment"),
            R"({"NCCL_DEBUG":""})");
  EXPECT_EQ(member(R"({"HyperParameters": {}})", "HyperParameters"), "absent");
}

constexpr const char* kNamedAlgorithm =
    R"({"AlgorithmSpecification": {"TrainingImage": "img", "AlgorithmName": "arn:alg",
         "TrainingInputMode": "File", "MetricDefinitions": [{"Name": "loss", "Regex": "l"}]}})";

TEST(TrainingCopy, A3_AlgorithmNameWinsOverTrainingImage) {
  EXPECT_EQ(member(kNamedAlgorithm, "AlgorithmSpecification"),
            R"({"AlgorithmName":"arn:alg","TrainingInputMode":"File",)"
            R"("MetricDefinitions":[{"Name":"loss","Regex":"l"}]})");
  EXPECT_EQ(member(R"({"AlgorithmSpecification": {"TrainingImage": "img", "AlgorithmName": null}})",
                   "AlgorithmSpecification"),
            R"({"TrainingImage":"img"})");
}

TEST(TrainingCopy, A3_MetricDefinitionsAreLeftOutWhereCreateRefusesThem) {
  EXPECT_EQ(
      member(kNamedAlgorithm, "AlgorithmSpecification", {.parts = {.metric_definitions = false}}),
      R"({"AlgorithmName":"arn:alg","TrainingInputMode":"File"})");
}

TEST(TrainingCopy, A3_BesideInstanceGroupsTheZeroCountGoes) {
  EXPECT_EQ(
      member(R"({"ResourceConfig": {"InstanceCount": 0, "InstanceType": "ml.g5.xlarge",
                  "VolumeSizeInGB": 30, "InstanceGroups": [
                  {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2, "InstanceGroupName": "g"}]}})",
             "ResourceConfig"),
      R"({"VolumeSizeInGB":30,"InstanceGroups":[{"InstanceType":"ml.g5.xlarge","InstanceCount":2,)"
      R"("InstanceGroupName":"g"}]})");
  EXPECT_EQ(member(R"({"ResourceConfig": {"InstanceCount": 2, "InstanceType": "ml.g5.xlarge",
                       "InstanceGroups": []}})",
                   "ResourceConfig"),
            R"({"InstanceCount":2,"InstanceType":"ml.g5.xlarge"})");
}

TEST(TrainingCopy, A3_AWarmPoolIsNotCopied) {
  EXPECT_EQ(member(R"({"ResourceConfig": {"InstanceCount": 1, "InstanceType": "ml.g5.xlarge",
                       "KeepAlivePeriodInSeconds": 1800}})",
                   "ResourceConfig"),
            R"({"InstanceCount":1,"InstanceType":"ml.g5.xlarge"})");
}

TEST(TrainingCopy, A3_ProfilerRulesGoWhereTheProfilerIsOff) {
  const auto rules = [](const char* disabled) {
    return member(
        fmt::format(R"({{"ProfilerConfig": {{"DisableProfiler": {}, "S3OutputPath": "s3://b"}},
                                  "ProfilerRuleConfigurations": [{{"RuleConfigurationName": "r"}}]}})",
                    disabled),
        "ProfilerRuleConfigurations");
  };
  EXPECT_EQ(rules("true"), "absent");
  EXPECT_EQ(rules("false"), R"([{"RuleConfigurationName":"r"}])");
}

TEST(TrainingCopy, A3_AnEmptyExperimentConfigIsDropped) {
  EXPECT_EQ(member(R"({"ExperimentConfig": {"ExperimentName": "", "TrialName": null}})",
                   "ExperimentConfig"),
            "absent");
}

constexpr const char* kSpot =
    R"({"EnableManagedSpotTraining": true,
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200}})";
constexpr const char* kOnDemand =
    R"({"EnableManagedSpotTraining": false, "StoppingCondition": {"MaxRuntimeInSeconds": 3600}})";

TEST(TrainingCopy, A3_SpotOffDropsMaxWaitTimeToo) {
  const Wish off{.changes = {.spot = false, .instance_type = {}}};
  EXPECT_EQ(member(kSpot, "EnableManagedSpotTraining", off), "false");
  EXPECT_EQ(member(kSpot, "StoppingCondition", off), R"({"MaxRuntimeInSeconds":3600})");
}

TEST(TrainingCopy, A3_SpotStaysAsItWasUnlessAskedFor) {
  EXPECT_EQ(member(kSpot, "EnableManagedSpotTraining"), "true");
  EXPECT_EQ(member(kSpot, "StoppingCondition"),
            R"({"MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":7200})");
  EXPECT_EQ(member(kOnDemand, "EnableManagedSpotTraining"), "false");
}

TEST(TrainingCopy, A3_SpotOnComesWithTheLeastMaxWaitTimeThatIsValid) {
  const Wish on{.changes = {.spot = true, .instance_type = {}}};
  EXPECT_EQ(member(kOnDemand, "EnableManagedSpotTraining", on), "true");
  EXPECT_EQ(member(kOnDemand, "StoppingCondition", on),
            R"({"MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":3600})");
  EXPECT_EQ(member("{}", "StoppingCondition", on),
            R"({"MaxRuntimeInSeconds":86400,"MaxWaitTimeInSeconds":86400})");
  EXPECT_EQ(member(kSpot, "StoppingCondition", on),
            R"({"MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":7200})");
}

TEST(TrainingCopy, A4_AnotherInstanceTypeTakesThePlaceOfTheJobs) {
  EXPECT_EQ(member(R"({"ResourceConfig": {"InstanceCount": 2, "InstanceType": "ml.g5.xlarge"}})",
                   "ResourceConfig", {.changes = {.spot = {}, .instance_type = "ml.g6.xlarge"}}),
            R"({"InstanceType":"ml.g6.xlarge","InstanceCount":2})");
}

std::string many_tags(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format(R"({}"key{}": "v")", i > 0 ? "," : "", i);
  return text + "}";
}

// Of a person to whom an organisation denies them.
TEST(TrainingCopy, A3_OurTagsMayBeLeftOutAndTheJobsOwnStay) {
  const char* const describe = R"({"TrainingJobName": "a", "RoleArn": "r"})";
  constexpr CopyParts kWithoutOurs{.our_tags = false};
  const char* const tags = R"({"team": "vision", "trainwarden:root": "x", "trainwarden:new": "y"})";
  EXPECT_EQ(member(describe, "Tags", {.tags = tags, .parts = kWithoutOurs}),
            R"([{"Key":"team","Value":"vision"}])");
  EXPECT_EQ(member(describe, "Tags", {.parts = kWithoutOurs}), "absent");
}

TEST(TrainingCopy, A3_MoreThanFiftyTagsMakeNoCopy) {
  const std::string fits = many_tags(47);
  EXPECT_TRUE(copy("{}", {.tags = fits.c_str()}));
  const std::string too_many = many_tags(48);
  const auto refused = copy("{}", {.tags = too_many.c_str()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(text(refused.error()),
            "the copy would have 51 tags, three of them ours, and a job takes 50");
}

}  // namespace
}  // namespace trainwarden::rules::copy_request_test
