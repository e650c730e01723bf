// The table of DescribeTrainingJob's leaves.
#include "handlers/rules/job/describe_members.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::describe_members_test {
namespace {

TEST(DescribeMembers, AreFoundByPath) {
  ASSERT_NE(find_describe_member("ResourceConfig.InstanceCount"), nullptr);
  EXPECT_EQ(find_describe_member("ResourceConfig.InstanceCount")->type, LeafType::kNumber);
  EXPECT_EQ(find_describe_member("CreationTime")->type, LeafType::kTime);
  EXPECT_EQ(find_describe_member("EnableManagedSpotTraining")->type, LeafType::kBoolean);
  EXPECT_TRUE(find_describe_member("VpcConfig.Subnets")->list);
  EXPECT_TRUE(find_describe_member("InputDataConfig.ChannelName")->list);
  EXPECT_FALSE(find_describe_member("TrainingJobName")->list);
}

TEST(DescribeMembers, MapsTakeAnyName) {
  ASSERT_NE(find_describe_member("HyperParameters.epochs"), nullptr);
  EXPECT_TRUE(find_describe_member("HyperParameters.epochs")->is_map());
  EXPECT_NE(find_describe_member("Environment.NCCL_DEBUG"), nullptr);
  EXPECT_EQ(find_describe_member("HyperParameters."), nullptr);
  EXPECT_EQ(find_describe_member("HyperParameters"), nullptr);
}

TEST(DescribeMembers, StructuresAndUnknownNamesAreNoLeaves) {
  EXPECT_EQ(find_describe_member("CheckpointConfig"), nullptr);
  EXPECT_EQ(find_describe_member("CheckpointConfig.S3Uri.x"), nullptr);
  EXPECT_EQ(find_describe_member("S3Uri"), nullptr);
  EXPECT_EQ(find_describe_member(""), nullptr);
}

struct Sampled {
  std::string type;
  bool list;
  bool operator==(const Sampled&) const = default;
};

void flatten(json::Value value, const std::string& path, bool list,
             std::map<std::string, Sampled>& out) {
  if (value.is_string()) out[path] = {std::string(value.as_string()), list};
  for (json::Value item : value.elements()) flatten(item, path, true, out);
  for (json::Member m : value.members()) {
    flatten(m.value, path.empty() ? std::string(m.name) : path + "." + std::string(m.name), list,
            out);
  }
}

TEST(DescribeMembers, AgreeWithTheServiceModel) {
  const std::string path = "../shared/samples/describe_members.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "1 case needs " << path << ", which is not here";
  const json::Document sample = test::doc(test::read_file(path));
  std::map<std::string, Sampled> expected;
  flatten(*sample.root().find("members"), "", false, expected);
  std::map<std::string, Sampled> ours;
  for (const Leaf& leaf : describe_members()) {
    const char* type = leaf.type == LeafType::kString    ? "string"
                       : leaf.type == LeafType::kNumber  ? "number"
                       : leaf.type == LeafType::kBoolean ? "boolean"
                                                         : "time";
    ours[std::string(leaf.path)] = {type, leaf.list};
  }
  for (const auto& [leaf, sampled] : expected) EXPECT_TRUE(ours.contains(leaf)) << leaf;
  // The sample is of an older model than the table.
  for (const auto& [leaf, own] : ours) {
    const auto sampled = expected.find(leaf);
    EXPECT_TRUE(sampled == expected.end() || sampled->second == own) << leaf;
  }
}

}  // namespace
}  // namespace trainwarden::rules::describe_members_test
