// What an export must hold for a policy (issue 17, 2).
#include "handlers/rules/decide/history_needs.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::history_needs_test {
namespace {

HistoryNeeds needs(const std::string& match, const std::string& unless = "") {
  return history_needs(test::policy(fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {{{}}}{}, "actions": ["notify"]}}]}})",
      match, unless.empty() ? "" : fmt::format(R"(, "unless": {{{}}})", unless))));
}

TEST(HistoryNeeds, SearchIsEnoughUnlessItLacksWhatAPatternNames) {
  EXPECT_FALSE(
      needs(R"("job": {"ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}})").describe);
  EXPECT_FALSE(needs(R"("tags": {"team": ["vision"]}, "cost": {"spent_usd": [5]})").describe);
  EXPECT_TRUE(needs(R"("job": {"RemoteDebugConfig": {"EnableRemoteDebug": [true]}})").describe);
  EXPECT_TRUE(needs(R"("tags": {"a": ["b"]})",
                    R"("job": {"RemoteDebugConfig": {"EnableRemoteDebug": [true]}})")
                  .describe);
}

TEST(HistoryNeeds, LogsAreForRulesOnFailures) {
  EXPECT_TRUE(needs(R"("failure": {"label": ["hardware"]})").logs);
  EXPECT_TRUE(needs(R"("$or": [{"failure": {"resume": ["yes"]}}, {"tags": {"a": ["b"]}}])").logs);
  // What FailureReason alone tells.
  EXPECT_FALSE(needs(R"("failure": {"kind": ["AlgorithmError"]})").logs);
  EXPECT_FALSE(needs(R"("job": {"TrainingJobStatus": ["Failed"]})").logs);
}

TEST(HistoryNeeds, LogsTellWhetherAStopWouldHaveBeenRight) {
  const auto asks = [](const char* action) {
    return history_needs(
               test::policy(fmt::format(
                   R"({{"version": 1, "rules": [{{"name": "r", "match": {{"tags": {{"a": ["b"]}}}}, "actions": ["{}"]}}]}})",
                   action)))
        .logs;
  };
  EXPECT_TRUE(asks("stop"));
  EXPECT_TRUE(asks("restart"));
  EXPECT_FALSE(asks("notify"));
}

TEST(HistoryNeeds, ValuesArePerNameThatAPatternHas) {
  const HistoryNeeds found = needs(R"("job": {"Environment": {"WANDB_MODE": ["offline"]}})",
                                   R"("job": {"HyperParameters": {"debug": ["true"]}})");
  EXPECT_TRUE(found.names("Environment", "WANDB_MODE"));
  EXPECT_TRUE(found.names("HyperParameters", "debug"));
  EXPECT_FALSE(found.names("HyperParameters", "WANDB_MODE"));
  EXPECT_FALSE(found.names("Environment", "WANDB"));
  EXPECT_FALSE(found.names("Environment", "TOKEN"));
}

TEST(HistoryNeeds, WhatNobodyKeepsIsNamedOnceWithItsRule) {
  const HistoryNeeds found = needs(R"("checkpoint": {"exists": [false]})",
                                   R"("checkpoint": {"age_seconds": [{"numeric": [">", 60]}]})");
  ASSERT_EQ(found.lost.size(), 1U);
  EXPECT_EQ(found.lost[0].rule, "r");
  EXPECT_EQ(found.lost[0].group, Group::kCheckpoint);
  EXPECT_TRUE(needs(R"("tags": {"a": ["b"]})").lost.empty());
}

}  // namespace
}  // namespace trainwarden::rules::history_needs_test
