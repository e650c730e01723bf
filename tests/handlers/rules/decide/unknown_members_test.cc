// F16: what a description says in members that this version does not know is unavailable, with
// their names, and never taken for "not there".
#include "handlers/rules/job/unknown_members.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/facts/facts.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::unknown_members_test {
namespace {

using test::doc;

Sources sources_of(std::string_view describe) {
  Sources out(test::running());
  out.set(Source::kDescribe, doc(describe));
  out.set(Source::kTags, doc("{}"));
  return out;
}

std::string why(std::string_view describe, Source source) {
  const Sources sources = sources_of(describe);
  const Facts facts = facts_from(sources, test::kNow);
  const Error* const error = facts.unavailable(source);
  return error == nullptr ? "" : error->message;
}

struct Case {
  std::string_view describe;
  std::string_view why;  // empty: available
};

TEST(UnknownMembersF16, MachinesThatNothingKnownTells) {
  const std::array<Case, 14> cases = {{
      {R"({"ResourceConfig": {"InstanceFleet": {"Of": "p5"}, "VolumeSizeInGB": 30}})",
       "`ResourceConfig.InstanceFleet` is not known to this version"},
      {R"({"ResourceConfig": {"InstanceGroups": [{"InstanceGroupName": "a", "Fleet": "b"},
           {"InstanceGroupName": "a", "InstanceType": "ml.g5.xlarge", "InstanceCount": 1}]}})",
       "`ResourceConfig.InstanceGroups.Fleet` is not known to this version"},
      {R"({"ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.g5.xlarge", "Range": "1-9"}]}})",
       "`ResourceConfig.InstanceGroups.Range` is not known to this version"},
      {R"({"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "CountRange": {"Least": 1}}})",
       "`ResourceConfig.CountRange` is not known to this version"},
      {R"({"ResourceConfig": {"InstanceType": {"Of": "p5"}, "InstanceCount": 1}})",
       "`ResourceConfig.InstanceType`: expected an instance type, found `{\"Of\":\"p5\"}`"},
      {R"({"ComputeConfig": {"Type": "ml.p5.48xlarge"}, "PoolConfig": {}})",
       "`ComputeConfig`, `PoolConfig` are not known to this version"},
      {R"({"ResourceConfig": "ml.p5.48xlarge"})",
       "`ResourceConfig`: expected an object, found `\"ml.p5.48xlarge\"`"},
      {R"({"ResourceConfig": {"VolumeSizeInGB": 30}})",
       "expected machines in `ResourceConfig`, or `ServerlessJobConfig`, found neither"},
      {"{}", "expected machines in `ResourceConfig`, or `ServerlessJobConfig`, found neither"},
      // Told in a way that is known.
      {R"({"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1, "New": 1},
           "Newer": {"A": 1}})",
       ""},
      {R"({"ResourceConfig": {"InstanceGroups": [
           {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1, "New": 1}]}})",
       ""},
      {R"({"ServerlessJobConfig": {"JobType": "FineTuning", "New": 1}, "Newer": 1})", ""},
      {R"({"ServerlessJobConfig": {"JobType": "FineTuning"}, "ResourceConfig": null})", ""},
      {R"({"ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}, "New": null})",
       ""},
  }};
  for (const Case& one : cases)
    EXPECT_EQ(why(one.describe, Source::kMachines), one.why) << one.describe;
}

TEST(UnknownMembersF16, LaunchersAndCheckpointsThatNothingKnownTells) {
  const std::array<Case, 6> launchers = {{
      {R"({"EvaluationJobArn": "arn:x"})", "`EvaluationJobArn` is not known to this version"},
      {R"({"TuningJobArn": {"Arn": "arn:x"}})",
       "`TuningJobArn`: expected a string, found `{\"Arn\":\"arn:x\"}`"},
      {R"({"EvaluationJobArn": "arn:x", "TuningJobArn": "arn:y"})", ""},
      {R"({"ResourceConfig": {"New": 1}})", ""},  // no launcher is told there
      {R"({"EvaluationJobArn": null})", ""},
      {"{}", ""},
  }};
  for (const Case& one : launchers)
    EXPECT_EQ(why(one.describe, Source::kLauncher), one.why) << one.describe;
  const std::array<Case, 6> checkpoints = {{
      {R"({"CheckpointConfig": {"Location": "s3://a/b", "LocalPath": "/opt"}})",
       "`CheckpointConfig.Location` is not known to this version"},
      {R"({"CheckpointConfig": {"S3Uri": ["s3://a/b"]}})",
       "`CheckpointConfig.S3Uri`: expected a string, found `[\"s3://a/b\"]`"},
      {R"({"CheckpointStore": {"A": "b"}})", "`CheckpointStore` is not known to this version"},
      {R"({"CheckpointConfig": {"LocalPath": "/opt"}, "New": 1})", ""},
      {R"({"New": 1, "CheckpointConfig": {"S3Uri": "s3://a/b", "Newer": 1}})", ""},
      {"{}", ""},
  }};
  for (const Case& one : checkpoints)
    EXPECT_EQ(why(one.describe, Source::kCheckpoint), one.why) << one.describe;
}

TEST(UnknownMembersF16, RulesAreSkippedWithTheNameAndNothingComesAgain) {
  const Policy policy = test::policy(R"({"version": 1, "mode": "enforce",
    "prices": {"ml.g5.xlarge": 1},
    "rules": [
    {"name": "types", "match": {"resources": {"instance_types": [{"exists": false}]}},
     "actions": ["stop"]},
    {"name": "free", "match": {"cost": {"max_usd": [{"exists": false}]}}, "actions": ["stop"]},
    {"name": "nobody", "match": {"lineage": {"child_of": [{"exists": false}]}},
     "actions": ["stop"]},
    {"name": "spot", "match": {"resources": {"spot": [true]}}, "actions": ["stop"]},
    {"name": "tell", "match": {"resources": {"unknown_members": [{"exists": true}]}},
     "actions": ["notify"]}]})");
  const Sources sources = sources_of(R"({"TrainingJobStatus": "InProgress",
      "ResourceConfig": {"Fleet": "p5"}, "LauncherArn": "arn:x"})");
  const Evaluation found =
      decide(policy, facts_from(sources, policy.prices(), test::kNow), Mode::kEnforce);
  ASSERT_EQ(found.decisions.size(), 1U);
  EXPECT_EQ(found.decisions[0].rule, "tell");
  EXPECT_EQ(found.decisions[0].because[0].path(), "resources.unknown_members");
  EXPECT_EQ(found.decisions[0].because[0].value, "ResourceConfig.Fleet");
  ASSERT_EQ(found.skipped.size(), 3U);
  for (const Skipped& skipped : found.skipped) {
    EXPECT_FALSE(skipped.comes_again) << skipped.rule;
    ASSERT_EQ(skipped.errors.size(), 1U) << skipped.rule;
  }
  EXPECT_EQ(found.skipped[0].sources.names(), "machines");
  EXPECT_EQ(found.skipped[0].errors[0].error.message,
            "`ResourceConfig.Fleet` is not known to this version");
  EXPECT_EQ(found.skipped[2].sources.names(), "launcher");
  EXPECT_TRUE(found.needs.empty());
}

TEST(UnknownMembersF16, ARuleThatAsksForCheckpointsIsSkippedWithoutAskingS3) {
  const Policy policy =
      test::policy(test::stop_rule(R"("match": {"checkpoint": {"exists": [{"exists": false}]}})"));
  const Sources sources = sources_of(R"({"TrainingJobStatus": "InProgress",
      "CheckpointConfig": {"Location": "s3://a/b"}})");
  const Evaluation found =
      decide(policy, facts_from(sources, policy.prices(), test::kNow), Mode::kEnforce);
  EXPECT_TRUE(found.decisions.empty());
  EXPECT_TRUE(found.needs.empty());
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_FALSE(found.skipped[0].comes_again);
}

// Search's records lack ServerlessJobConfig: a job without machines there gets a look, and what is
// unknown inside ResourceConfig does not, since Describe says the same.
TEST(UnknownMembersF16, SearchLacksMembersWithoutMakingThemUnknown) {
  const Policy policy =
      test::policy(test::stop_rule(R"("match": {"resources": {"gpus": [{"numeric": [">", 0]}]}})"));
  const auto look = [&](std::string_view record) {
    const json::Document search = doc(record);
    return nominate(policy, *sources_of_search(read_training_job(search.root())), test::kNow).look;
  };
  EXPECT_TRUE(look(R"({"TrainingJobName": "a", "TrainingJobStatus": "InProgress"})"));
  EXPECT_FALSE(look(R"({"TrainingJobName": "a", "TrainingJobStatus": "InProgress",
                        "ResourceConfig": {"Fleet": "p5"}})"));
  EXPECT_FALSE(look(R"({"TrainingJobName": "a", "TrainingJobStatus": "InProgress", "Tags": [],
                        "ResourceConfig": {"InstanceType": "ml.m5.large", "InstanceCount": 1}})"));
  EXPECT_TRUE(look(R"({"TrainingJobName": "a", "TrainingJobStatus": "InProgress", "Tags": [],
                       "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}})"));
}

TEST(UnknownMembersF16, EachIsFoundOnceWherevertItLies) {
  const json::Document describe = doc(R"({
      "HyperParameters": {"free": "x"}, "Environment": {"FREE": "x"}, "New": 1, "Null": null,
      "ProfilerConfig": {"ProfilingParameters": {"free": "x"}},
      "InputDataConfig": [{"ChannelName": "a", "DataSource": {"S3DataSource": {"S3Uri": "s3://a",
        "Newer": true}}}, {"DataSource": {"S3DataSource": {"Newer": false}}}],
      "ResourceConfig": {"SelectedInstanceType": "ml.g5.xlarge", "Blank": ""},
      "WarmPoolStatus": {"Newest": 1}, "TrainingJobName": {"A": 1}})");
  std::vector<std::string> paths;
  std::vector<std::string> of_copy;
  for (const UnknownMember& one : unknown_members(describe.root())) {
    paths.push_back(one.path);
    if (one.of_copy) of_copy.push_back(one.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"New", "InputDataConfig.DataSource.S3DataSource.Newer",
                                             "ResourceConfig.Blank", "WarmPoolStatus.Newest",
                                             "TrainingJobName"}));
  EXPECT_EQ(of_copy, (std::vector<std::string>{"InputDataConfig.DataSource.S3DataSource.Newer",
                                               "TrainingJobName"}));
}

// No description of today is unknown: what the shared samples hold, and their events.
TEST(UnknownMembersF16, TheSamplesHoldNone) {
  const std::filesystem::path folder = "../shared/samples/state";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "17 cases need " << folder.string() << ", which is not here";
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const json::Document event = doc(test::read_file(entry.path().string()));
    const auto detail = event.root().find("detail");
    ASSERT_TRUE(detail) << entry.path();
    ++seen;
    std::vector<std::string> found;
    for (const UnknownMember& one : unknown_members(*detail)) found.push_back(one.path);
    EXPECT_EQ(found, std::vector<std::string>()) << entry.path();
    const TrainingJob job = read_training_job(*detail);
    EXPECT_EQ(job.machines_unknown, "") << entry.path();
    EXPECT_EQ(why_launcher_unknown(job), std::nullopt) << entry.path();
    EXPECT_EQ(why_checkpoint_unknown(job), std::nullopt) << entry.path();
  }
  EXPECT_GT(seen, 10U);
}

}  // namespace
}  // namespace trainwarden::rules::unknown_members_test
