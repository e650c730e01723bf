// What a notice says of the tag by which a job may be kept comes from the policy (A5, F15).
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::told_until_test {
namespace {

TEST_F(ActionTest, A5_F15_ANoticeNamesTheTagThatKeepsTheJob) {
  aws_.place({.tags = {{"keep-until", "2020-01-01"}}});
  const std::string latest = rfc3339(std::chrono::floor<seconds>(clock_.now()) + hours(24));
  handle(R"({"name": "first", "match": {"tags": {"team": ["nobody"]}}, "actions": ["notify"]},
            {"name": "kept", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
             "unless": {"until": {"keep-until": [{"numeric": [">", 0, "<=", 86400]}]}},
             "actions": ["notify"]})");
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(told("say until when in its tag keep-until, " + latest + " at the latest (1 day"));
}

TEST_F(ActionTest, A5_F15_AndNamesNoneWhereTheRuleHasNone) {
  aws_.place({});
  handle(R"({"name": "plain", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
             "actions": ["notify"]},
            {"name": "other", "match": {"tags": {"team": ["nobody"]}},
             "unless": {"until": {"keep-until": [{"numeric": [">", 0, "<=", 86400]}]}},
             "actions": ["notify"]})");
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_FALSE(told("keep-until"));
}

}  // namespace
}  // namespace trainwarden::actions::told_until_test
