// `check` warns of announced stops that nobody can avert, or that come too late (policy.md A1).
#include "handlers/cli/check/grace_warnings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainwarden::cli::grace_warnings_test {
namespace {

std::vector<rules::Remark> warnings(const std::string& action) {
  const auto policy = rules::parse_policy(fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {{"job": {{"TrainingJobStatus":
         ["InProgress"]}}}}, "actions": [{}]}}]}})",
      action));
  EXPECT_TRUE(policy) << policy.error().message;
  return grace_warnings(*policy);
}
std::vector<rules::Remark> grace(int seconds) {
  return warnings(fmt::format(R"({{"stop": {{"grace_seconds": {}}}}})", seconds));
}

TEST(GraceWarnings, A1_AGraceInWhichNobodyCanActIsWarnedOf) {
  ASSERT_EQ(grace(299).size(), 1U);
  EXPECT_NE(grace(299)[0].message.find("less than five minutes"), std::string::npos);
}

TEST(GraceWarnings, A1_AGraceThatMostJobsDoNotLiveToSeeIsWarnedOf) {
  ASSERT_EQ(grace(86'401).size(), 1U);
  EXPECT_NE(grace(86'401)[0].message.find("more than a day"), std::string::npos);
}

TEST(GraceWarnings, A1_OthersAreNot) {
  EXPECT_TRUE(grace(300).empty());
  EXPECT_TRUE(grace(86'400).empty());
  EXPECT_TRUE(warnings(R"("stop")").empty());
  EXPECT_TRUE(warnings(R"({"stop": {"tuning_job": true}})").empty());
}

}  // namespace
}  // namespace trainwarden::cli::grace_warnings_test
