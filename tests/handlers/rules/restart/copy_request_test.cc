#include "handlers/rules/restart/copy_request.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "handlers/rules/job/aws_tables.h"
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

// A description with that leaf alone. The lists around it make no difference to a copy.
std::string described(std::string_view path, std::string_view value) {
  std::string out(value);
  std::string rest(path);
  while (!rest.empty()) {
    const std::size_t dot = rest.rfind('.');
    const std::string name = dot == rest.npos ? rest : rest.substr(dot + 1);
    out = fmt::format(R"({{"{}":{}}})", name == "*" ? "key" : name, out);
    rest.resize(dot == rest.npos ? 0 : dot);
  }
  return out;
}

std::string_view some_value(const Leaf& leaf) {
  if (leaf.type == LeafType::kBoolean) return "true";
  return leaf.type == LeafType::kString ? R"("v")" : "7";
}

TEST(TrainingCopy, A3_EveryMemberThatDescribeReturnsAndCreateTakesSurvives) {
  const std::set<std::string_view> left_out = {
      "ResourceConfig.KeepAlivePeriodInSeconds",  // a warm pool of the job's own
      "ResourceConfig.SelectedInstanceCount",     // AWS only returns it
      "ResourceConfig.SelectedInstanceType",
      "StoppingCondition.MaxWaitTimeInSeconds",  // of spot
  };
  std::size_t survived = 0;
  for (const Leaf& leaf : describe_members()) {
    const std::string_view name = leaf.path.substr(0, leaf.path.find('.'));
    if (std::ranges::find(copied_members(), name) == copied_members().end()) continue;
    const std::string describe = described(leaf.path, some_value(leaf));
    const auto made = copy(describe);
    ASSERT_TRUE(made) << leaf.path;
    const auto found = made->root().find(name);
    const std::string wanted = json::to_text(*parse(describe).root().find(name));
    EXPECT_EQ(found && json::to_text(*found) == wanted, !left_out.contains(leaf.path))
        << leaf.path << ": " << json::to_text(made->root());
    ++survived;
  }
  EXPECT_GT(survived, 80U);
}

std::string refusal(std::string_view describe, const Wish& wish = {}) {
  const auto made = copy(describe, wish);
  return made ? "none" : std::string(code(made.error().why)) + " " + made.error().name;
}

TEST(TrainingCopy, F16_AMemberThatIsNotKnownInsideWhatCreateTakesRefusesByName) {
  EXPECT_EQ(refusal(R"({"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1,
                        "Fleet": "a"}})"),
            "unknown-member ResourceConfig.Fleet");
  EXPECT_EQ(refusal(R"({"InputDataConfig": [{"DataSource": {"LakeSource": {"Arn": "a"}}}]})"),
            "unknown-member InputDataConfig.DataSource.LakeSource");
  // At the top level, where Create takes nothing of the kind, where nothing is said, and where keys
  // are free.
  EXPECT_EQ(refusal(R"({"New": {"A": 1}})"), "none");
  EXPECT_EQ(refusal(R"({"WarmPoolStatus": {"New": 1}, "ModelArtifacts": {"New": "a"}})"), "none");
  EXPECT_EQ(refusal(R"({"OutputDataConfig": {"New": "", "Newer": [], "Newest": {"A": null}}})"),
            "none");
  EXPECT_EQ(refusal(R"({"HyperParameters": {"new": "1"}, "Environment": {"NEW": "1"},
                        "ProfilerConfig": {"ProfilingParameters": {"new": "1"}}})"),
            "none");
}

TEST(TrainingCopy, F16_WhatIsNotKnownAtTheTopIsTold) {
  const auto said = [](std::string_view describe, bool other_types) {
    const auto document = parse(describe);
    const auto reason = said_of_copy(read_training_job(document.root()), other_types);
    return reason ? text(*reason) : "";
  };
  EXPECT_EQ(said(R"({"New": 1, "Newer": {}})", false),
            "without `New`, `Newer` of its description, not known to this version");
  EXPECT_EQ(said(R"({"WarmPoolStatus": {"New": 1}})", false), "");
  EXPECT_EQ(said("{}", true), "");
  EXPECT_EQ(
      said(R"({"ResourceConfig": {"InstancePreferences": [{"InstanceType": "ml.g5.xlarge"}]}})",
           true),
      "with the job's own InstancePreferences, which instance_types does not change");
}

constexpr const char* kEachCount =
    R"({"EnableManagedSpotTraining": false, "ResourceConfig": {
        "InstanceType": "ml.g5.xlarge", "InstanceCount": 2, "VolumeSizeInGB": 30,
        "InstancePreferences": [{"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8},
                                {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2}],
        "SelectedInstanceType": "ml.g5.xlarge", "SelectedInstanceCount": 2}})";
constexpr const char* kOneCount =
    R"({"EnableManagedSpotTraining": false, "ResourceConfig": {"InstanceCount": 8,
        "InstancePreferences": [{"InstanceType": "ml.p5.48xlarge"}],
        "SelectedInstanceType": "ml.p5.48xlarge", "SelectedInstanceCount": 8}})";

TEST(TrainingCopy, A3_PreferencesStayAndWhatWasSelectedGoes) {
  EXPECT_EQ(member(kEachCount, "ResourceConfig"),
            R"({"VolumeSizeInGB":30,"InstancePreferences":[)"
            R"({"InstanceType":"ml.p5.48xlarge","InstanceCount":8},)"
            R"({"InstanceType":"ml.g5.xlarge","InstanceCount":2}]})");
  EXPECT_EQ(member(kOneCount, "ResourceConfig"),
            R"({"InstanceCount":8,"InstancePreferences":[{"InstanceType":"ml.p5.48xlarge"}]})");
  // AWS takes no EnableManagedSpotTraining beside them.
  EXPECT_EQ(member(kOneCount, "EnableManagedSpotTraining"), "absent");
  EXPECT_EQ(member(kOneCount, "EnableManagedSpotTraining", {.changes = {false, {}, {}}}), "absent");
}

TEST(TrainingCopy, A3_WhatARestartAsksForBesidePreferences) {
  EXPECT_EQ(refusal(kOneCount, {.changes = {true, {}, {}}}), "preferences-exclude-spot ");
  EXPECT_EQ(member(kOneCount, "ResourceConfig", {.changes = {{}, "ml.g5.xlarge", {}}}),
            member(kOneCount, "ResourceConfig"));
  EXPECT_EQ(member(kOneCount, "ResourceConfig", {.changes = {{}, {}, {.instance_count = 4}}}),
            R"({"InstanceCount":4,"InstancePreferences":[{"InstanceType":"ml.p5.48xlarge"}]})");
  EXPECT_EQ(refusal(kEachCount, {.changes = {{}, {}, {.instance_count = 4}}}),
            "preferences-have-counts ");
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
