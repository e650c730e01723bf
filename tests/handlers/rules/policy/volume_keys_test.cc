// P2: `check` warns of a rule that demands a VolumeKmsKeyId of machines that take none.
#include "handlers/rules/policy/volume_keys.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace trainwarden::rules::volume_keys_test {
namespace {

std::size_t warnings(const std::string& match, const std::string& unless = "") {
  const auto policy = parse_policy(fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {}, {} "actions": ["stop"]}}]}})", match,
      unless.empty() ? "" : R"("unless": )" + unless + ","));
  EXPECT_TRUE(policy) << policy.error().message;
  return policy ? demanded_volume_keys(*policy).size() : 0;
}

constexpr const char* kAbsent = R"("ResourceConfig": {"VolumeKmsKeyId": [{"exists": false}]})";
constexpr const char* kThere =
    R"({"job": {"ResourceConfig": {"VolumeKmsKeyId": [{"exists": true}]}}})";
constexpr const char* kNoP5 =
    R"("resources": {"instance_types": [{"anything-but": {"prefix": "ml.p5"}}]})";

TEST(VolumeKeys, P2_AKeyThatMachinesMayNotTakeIsWarnedOf) {
  EXPECT_EQ(warnings(fmt::format(R"({{"job": {{{}}}}})", kAbsent)), 1U);
  EXPECT_EQ(warnings(R"({"job": {"TrainingJobStatus": ["InProgress"]}})", kThere), 1U);
}

TEST(VolumeKeys, P2_ARuleThatNamesMachinesMeansIt) {
  EXPECT_EQ(warnings(fmt::format(R"({{"job": {{{}}}, {}}})", kAbsent, kNoP5)), 0U);
  EXPECT_EQ(warnings(fmt::format(R"({{{}}})", kNoP5), kThere), 0U);
  EXPECT_EQ(warnings(fmt::format(R"({{"job": {{{}}}}})", kAbsent),
                     R"({"resources": {"instance_types": [{"prefix": "ml.p5"}]}})"),
            0U);
  EXPECT_EQ(warnings(kThere), 0U);  // asks nobody for a key
  EXPECT_EQ(warnings(R"({"job": {"TrainingJobStatus": ["InProgress"]}})"), 0U);
}

}  // namespace
}  // namespace trainwarden::rules::volume_keys_test
