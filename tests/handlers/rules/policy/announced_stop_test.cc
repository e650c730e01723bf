// policy.md A1: a stop with grace_seconds is done by a later look, a sweep's as a rule. A rule that
// holds for events alone would announce it for ever.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules::announced_stop_test {
namespace {

constexpr std::string_view kGrace = R"([{"stop": {"grace_seconds": 900}}])";

std::string policy(std::string_view match, std::string_view unless,
                   std::string_view actions = kGrace) {
  return fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {}, "unless": {}, "actions": {}}}]}})",
      match, unless, actions);
}

std::string mistake(const std::string& text) {
  const std::vector<Remark> all = check_policy(text);
  return all.empty() ? std::string() : all.front().text();
}

constexpr std::string_view kTags = R"({"tags": {"team": [{"exists": false}]}})";
constexpr std::string_view kOthers = R"({"tags": {"keep": ["yes"]}})";

TEST(AnnouncedStop, A1_AMatchThatNoSweepMeetsIsAMistake) {
  for (const std::string_view match :
       {R"({"event": {"trigger": ["state"]}, "tags": {"team": [{"exists": false}]}})",
        R"({"event": {"trigger": ["state", "alarm"]}})",
        R"({"event": {"trigger": [{"anything-but": "sweep"}]}})",
        R"([{"tags": {"a": ["b"]}}, {"event": {"trigger": ["alarm"]}}])",
        R"({"$or": [{"tags": {"a": ["b"]}}, {"event": {"trigger": [{"prefix": "st"}]}}]})"})
    EXPECT_EQ(mistake(policy(match, kOthers)),
              "rules[0].match: expected no `event.trigger`, or one that takes `sweep` as well: a "
              "sweep looks again when `grace_seconds` are over, and this would not hold then")
        << match;
}

TEST(AnnouncedStop, A1_AnExemptionOfSweepsAloneIsAMistake) {
  for (const std::string_view unless :
       {R"({"event": {"trigger": ["sweep"]}})",
        R"({"event": {"trigger": ["sweep", "alarm"]}, "tags": {"a": ["b"]}})",
        R"({"event": {"trigger": [{"anything-but": "state"}]}})"})
    EXPECT_EQ(mistake(policy(kTags, unless)),
              "rules[0].unless: expected no `event.trigger`: a sweep looks again when "
              "`grace_seconds` are over, and this would exempt the job then")
        << unless;
}

TEST(AnnouncedStop, A1_WhatASweepDecidesLikeAnEventIsNone) {
  for (const std::string_view match :
       {kTags, std::string_view(R"({"event": {"trigger": ["sweep"]}})"),
        std::string_view(R"({"event": {"trigger": ["state", "sweep"]}})"),
        std::string_view(R"({"event": {"trigger": [{"exists": true}]}})"),
        std::string_view(R"({"event": {"account": ["111122223333"]}})")})
    EXPECT_EQ(mistake(policy(match, kOthers)), "") << match;
  for (const std::string_view unless :
       {R"({"event": {"trigger": ["state"]}})", R"({"event": {"trigger": ["alarm", "state"]}})",
        R"({"event": {"trigger": ["state", "alarm", "sweep"]}})",
        R"({"event": {"region": ["eu-central-1"]}})"})
    EXPECT_EQ(mistake(policy(kTags, unless)), "") << unless;
}

TEST(AnnouncedStop, A1_AStopAtOnceMayAskWhichEventItWas) {
  const std::string_view match = R"({"event": {"trigger": ["state"]}})";
  for (const std::string_view actions :
       {R"(["stop"])", R"(["notify"])", R"([{"stop": {"tuning_job": true}}])", R"(["restart"])"})
    EXPECT_EQ(mistake(policy(match, kOthers, actions)), "") << actions;
}

}  // namespace
}  // namespace trainwarden::rules::announced_stop_test
