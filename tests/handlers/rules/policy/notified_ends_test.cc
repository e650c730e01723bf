// Rules that tell of jobs that have ended without saying so (A5, P2).
#include "handlers/rules/policy/notified_ends.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::notified_ends_test {
namespace {

std::vector<std::string> doubts(const std::string& rule) {
  const auto policy = parse_policy(
      R"({"version":1,"watches":{"idle":{"metric":"CPUUtilization","statistic":"Maximum",)"
      R"("period_seconds":300,"periods":12,"at_most":1}},"rules":[{"name":"r",)" +
      rule + "}]}");
  EXPECT_TRUE(policy) << policy.error().message << rule;
  return policy ? test::texts(notified_ends(*policy)) : std::vector<std::string>();
}

std::string telling(std::string_view match) {
  return R"("actions":["notify"],"match":)" + std::string(match);
}

TEST(ToldEnds, A5_ARuleThatTellsOfEveryEndIsWarnedOf) {
  for (const char* match : {
           R"({"tags": {"team": [{"exists": false}]}})",
           R"({"resources": {"instance_types": [{"prefix": "ml.p"}]}})",
           R"({"cost": {"spent_usd": [{"numeric": [">", 5]}]}})",
           // Conditions on a status that every status meets.
           R"({"job": {"TrainingJobStatus": [{"exists": true}]}})",
           R"({"job": {"TrainingJobStatus": [{"wildcard": "*"}]}})",
           R"({"job": {"SecondaryStatus": [{"anything-but": "Nonsense"}]}})",
           // 0 is left to a job that has ended.
           R"({"runtime": {"remaining_seconds": [{"numeric": ["<", 600]}]}})",
           R"({"event": {"trigger": ["state"]}, "tags": {"a": ["b"]}})",
           R"({"checkpoint": {"exists": [false]}})",
           // One alternative is enough.
           R"([{"job": {"TrainingJobStatus": ["InProgress"]}}, {"tags": {"a": ["b"]}}])",
           R"({"$or": [{"job": {"TrainingJobStatus": ["InProgress"]}}, {"tags": {"a": ["b"]}}]})",
       }) {
    const auto found = doubts(telling(match));
    ASSERT_EQ(found.size(), 1U) << match;
    EXPECT_TRUE(found[0].starts_with("rules[0] (r): tells of jobs that have ended, too"))
        << found[0];
  }
  EXPECT_EQ(doubts(R"("actions":["stop","notify"],"match":{"tags":{"a":["b"]}})").size(), 1U);
  // Exempts but some of them.
  EXPECT_EQ(doubts(telling(R"({"tags":{"a":["b"]}},"unless":{"job":{"TrainingJobStatus":)"
                           R"(["Completed"]},"tags":{"c":["d"]}})"))
                .size(),
            1U);
}

TEST(ToldEnds, A5_NotWhereTheRuleTellsEndsFromRunningJobs) {
  for (const char* match : {
           R"({"job": {"TrainingJobStatus": ["InProgress"]}})",
           R"({"job": {"TrainingJobStatus": ["InProgress", "Failed"]}, "tags": {"a": ["b"]}})",
           R"({"job": {"TrainingJobStatus": [{"anything-but": ["Completed", "Stopped"]}]}})",
           R"({"job": {"TrainingJobStatus": [{"prefix": "In"}]}})",
           R"({"job": {"SecondaryStatus": ["Training"]}})",
           R"({"job": {"SecondaryStatus": [{"wildcard": "Max*Exceeded"}]}})",
           R"({"failure": {"resume": ["no"]}})",
           R"({"failure": {"kind": [{"exists": true}]}})",
           R"({"job": {"FailureReason": [{"exists": true}]}})",
           R"({"job": {"TrainingEndTime": [{"exists": false}]}})",
           R"({"job": {"TrainingEndTime": [{"exists": true}]}})",
           R"({"warm_pool": {"idle_seconds": [{"numeric": [">", 5]}]}})",
           R"({"job": {"WarmPoolStatus": {"Status": ["Available"]}}})",
           R"({"alarm": {"watch": ["idle"], "state": ["ALARM"]}})",
           R"({"event": {"trigger": ["alarm"]}})",
           R"({"logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}})",
           R"({"runtime": {"remaining_seconds": [{"numeric": [">", 600]}]}})",
           R"({"checkpoint": {"age_seconds": [{"numeric": [">", 600]}]}})",
           R"([{"job": {"TrainingJobStatus": ["InProgress"]}}, {"failure": {"label": ["data"]}}])",
           R"({"tags": {"a": ["b"]}, "$or": [{"job": {"TrainingJobStatus": ["InProgress"]}},
                                            {"job": {"SecondaryStatus": ["Failed"]}}]})",
       })
    EXPECT_TRUE(doubts(telling(match)).empty()) << match;
  for (const char* unless : {
           R"({"job": {"TrainingJobStatus": ["Completed", "Failed", "Stopped", "Stopping"]}})",
           R"({"job": {"TrainingJobStatus": [{"anything-but": "InProgress"}]}})",
           R"({"job": {"TrainingEndTime": [{"exists": true}]}})",
           R"([{"tags": {"c": ["d"]}}, {"job": {"SecondaryStatus": ["Completed"]}}])",
       })
    EXPECT_TRUE(doubts(telling(R"({"tags": {"a": ["b"]}})") + R"(,"unless":)" + unless).empty())
        << unless;
}

TEST(ToldEnds, A5_NotWhereNobodyIsTold) {
  EXPECT_TRUE(doubts(R"("actions":["stop"],"match":{"tags":{"a":["b"]}})").empty());
  EXPECT_TRUE(
      doubts(R"("mode":"observe","actions":["notify"],"match":{"tags":{"a":["b"]}})").empty());
  // Of a pool that is let go, which no job that runs has.
  EXPECT_TRUE(doubts(R"("actions":["release","notify"],"match":{"tags":{"a":["b"]}})").empty());
}

std::vector<std::string> acting(const std::string& match, const std::string& actions,
                                const std::string& more = "") {
  const auto policy =
      parse_policy(R"({"version":1,"watches":{"idle":{"metric":"CPUUtilization","statistic":)"
                   R"("Maximum","period_seconds":300,"periods":12,"at_most":1}},"rules":[{"name":)"
                   R"("r","match":)" +
                   match + R"(,"actions":[)" + actions + "]" + more + "}]}");
  EXPECT_TRUE(policy) << policy.error().message << match;
  return policy ? test::texts(stopped_ends(*policy)) : std::vector<std::string>();
}

// A1, F3: nothing stops what has ended.
TEST(StoppedEnds, P2_AStopThatSaysNothingOfTheStatusIsWarnedOf) {
  for (const char* match : {
           R"({"tags": {"team": [{"exists": false}]}})",
           R"({"resources": {"gpus": [{"numeric": [">", 8]}]}})",
           R"({"job": {"TrainingJobStatus": [{"exists": true}]}})",
           R"({"runtime": {"remaining_seconds": [{"numeric": ["<", 600]}]}})",
           R"([{"job": {"TrainingJobStatus": ["InProgress"]}}, {"tags": {"a": ["b"]}}])",
       }) {
    const auto found = acting(match, "\"stop\"");
    ASSERT_EQ(found.size(), 1U) << match;
    EXPECT_TRUE(found[0].starts_with("rules[0] (r): holds for jobs that have ended, too")) << match;
    const auto restarts = acting(match, "\"restart\"");
    ASSERT_EQ(restarts.size(), 1U) << match;
    EXPECT_TRUE(restarts[0].starts_with("rules[0] (r): stops and copies jobs that run, and "));
  }
  // Where people are told as well, notified_ends() says it; one remark is enough.
  EXPECT_TRUE(acting(R"({"tags": {"a": ["b"]}})", R"("stop", "notify")").empty());
  EXPECT_EQ(acting(R"({"tags": {"a": ["b"]}})", R"("stop", "restart")").size(), 1U);
}

TEST(StoppedEnds, P2_NotWhereTheRuleTellsEndsFromRunningJobs) {
  for (const char* match : {
           R"({"job": {"TrainingJobStatus": ["InProgress"]}})",
           R"({"job": {"TrainingJobStatus": ["Failed"]}})",
           R"({"job": {"SecondaryStatus": ["Interrupted"]}})",
           R"({"failure": {"resume": ["yes"]}})",
           R"({"alarm": {"watch": ["idle"], "state": ["ALARM"]}})",
           R"({"logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}})",
           R"({"runtime": {"remaining_seconds": [{"numeric": [">", 600]}]}})",
       })
    for (const char* action : {"\"stop\"", "\"restart\""})
      EXPECT_TRUE(acting(match, action).empty()) << match;
  EXPECT_TRUE(acting(R"({"tags": {"a": ["b"]}})", "\"stop\"",
                     R"(,"unless":{"job":{"TrainingJobStatus":[{"anything-but":"InProgress"}]}})")
                  .empty());
  for (const char* action : {R"("notify")", R"({"tag": {"a": "b"}})", R"({"watch": ["idle"]})"})
    EXPECT_TRUE(acting(R"({"tags": {"a": ["b"]}})", action).empty()) << action;
}

}  // namespace
}  // namespace trainwarden::rules::notified_ends_test
