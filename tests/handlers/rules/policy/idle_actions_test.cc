// `check` warns of actions that are never carried out (policy.md P2).
#include "handlers/rules/policy/idle_actions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::idle_actions_test {
namespace {

std::vector<std::string> idle(std::string_view match, std::string_view actions) {
  const auto policy =
      parse_policy(R"({"version": 1, "rules": [{"name": "r", "match": )" + std::string(match) +
                   R"(, "actions": [)" + std::string(actions) + "]}]}");
  EXPECT_TRUE(policy) << policy.error().message << match;
  return policy ? test::texts(idle_actions(*policy)) : std::vector<std::string>();
}

TEST(IdleActions, P2_AStopOfWhatHasEndedIsWarnedOf) {
  for (const char* const match : {
           R"({"job": {"TrainingJobStatus": ["Failed"]}})",
           R"({"job": {"TrainingJobStatus": [{"anything-but": "InProgress"}]}})",
           R"({"failure": {"resume": ["no"]}})",
           R"({"warm_pool": {"idle_seconds": [{"numeric": [">", 60]}]}})",
           R"([{"job": {"TrainingJobStatus": ["Failed"]}}, {"failure": {"label": ["data"]}}])",
       })
    EXPECT_EQ(idle(match, R"("stop", "notify")"),
              std::vector<std::string>{"rules[0] (r): never stops a job: the rule holds only for "
                                       "jobs that have ended"})
        << match;
}

TEST(IdleActions, P2_AStopThatMayFindARunningJobIsNot) {
  for (const char* const match : {
           R"({"job": {"TrainingJobStatus": ["InProgress"]}})",
           R"({"job": {"TrainingJobStatus": ["Failed", "InProgress"]}})",
           R"({"job": {"TrainingJobStatus": [{"anything-but": "Failed"}]}})",
           R"({"job": {"TrainingJobStatus": ["InProgres"]}})",  // told as misspelt
           R"({"tags": {"team": [{"exists": false}]}})",
           R"({"failure": {"label": [{"exists": false}]}})",
           R"([{"job": {"TrainingJobStatus": ["Failed"]}}, {"tags": {"a": ["b"]}}])",
       })
    EXPECT_TRUE(idle(match, R"("stop")").empty()) << match;
  // A tuner runs on after one of its jobs (A1).
  constexpr std::string_view kFailed = R"({"job": {"TrainingJobStatus": ["Failed"]}})";
  EXPECT_TRUE(idle(kFailed, R"({"stop": {"tuning_job": true}})").empty());
  EXPECT_TRUE(idle(kFailed, R"("notify")").empty());
  EXPECT_TRUE(idle(kFailed, R"("restart")").empty());
}

TEST(IdleActions, P2_ARestartOfWhatCompletedIsWarnedOf) {
  EXPECT_EQ(idle(R"({"job": {"TrainingJobStatus": ["Completed"]}})", R"("restart")"),
            std::vector<std::string>{"rules[0] (r): never runs a job again: the rule holds only "
                                     "for jobs that completed or are being deleted"});
  for (const char* const status : {"InProgress", "Stopping", "Failed", "Stopped"})
    EXPECT_TRUE(
        idle(R"({"job": {"TrainingJobStatus": ["Completed", ")" + std::string(status) + R"("]}})",
             R"("restart")")
            .empty())
        << status;
}

}  // namespace
}  // namespace trainwarden::rules::idle_actions_test
