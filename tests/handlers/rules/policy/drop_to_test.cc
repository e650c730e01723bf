// A watch that compares with the job's own past, as the policy has it (policy.md W6).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::drop_to_test {
namespace {

std::string with_members(std::string_view members) {
  return fmt::format(
      R"({{"version": 1, "watches": {{"w": {{"metric": "train:speed", "statistic": "p50", {}}}}},
           "rules": [{{"name": "r", "match": {{"tags": {{"a": ["b"]}}}}, "actions": ["stop"]}}]}})",
      members);
}

constexpr std::string_view kOfAlgorithm =
    R"("source": "algorithm", "period_seconds": 300, "periods": 6, )";

std::string mistake(std::string_view members) {
  const auto policy = parse_policy(with_members(members));
  return policy ? std::string() : policy.error().message;
}

std::string with_drop(std::string_view members) {
  return mistake(std::string(kOfAlgorithm) + std::string(members));
}

TEST(DropTo, W6_AWatchTakesAShareInThePlaceOfAThreshold) {
  const Policy policy = test::policy(with_members(std::string(kOfAlgorithm) + R"("drop_to": 0.6)"));
  const Watch& watch = policy.watches()[0];
  EXPECT_EQ(watch.drop_to, 0.6);
  EXPECT_EQ(watch.median, std::nullopt);
  EXPECT_EQ(watch.comparison, Watch::Comparison::kBelow);
  EXPECT_TRUE(std::isnan(watch.threshold)) << "no value is below it";
  EXPECT_TRUE(needs_past(watch));
  EXPECT_EQ(test::texts(policy.warnings()).size(), 0U);

  const Policy absolute = test::policy(with_members(std::string(kOfAlgorithm) + R"("below": 0.6)"));
  EXPECT_EQ(absolute.watches()[0].drop_to, std::nullopt);
  EXPECT_FALSE(needs_past(absolute.watches()[0]));
}

// No alarm is put before six hours have passed: a shorter warm-up misleads nobody.
TEST(DropTo, W6_AShortWarmUpIsNoWarning) {
  for (const std::string_view warmup : {"0", "60", "21600", "604800"}) {
    const Policy policy = test::policy(with_members(
        fmt::format(R"({}"drop_to": 0.5, "warmup_seconds": {})", kOfAlgorithm, warmup)));
    EXPECT_EQ(test::texts(policy.warnings()).size(), 0U) << warmup;
  }
}

TEST(DropTo, W6_AShareIsAboveZeroAndBelowOne) {
  for (const std::string_view good : {"0.01", "0.5", "0.999"})
    EXPECT_EQ(with_drop(fmt::format(R"("drop_to": {})", good)), "") << good;
  for (const std::string_view bad : {"0", "1", "1.5", "-0.6", "60"})
    EXPECT_NE(with_drop(fmt::format(R"("drop_to": {})", bad))
                  .find("watches.w.drop_to: expected a share above 0 and below 1, such as 0.6"),
              std::string::npos)
        << bad;
  EXPECT_NE(with_drop(R"("drop_to": "0.6")").find("watches.w.drop_to: expected a number"),
            std::string::npos);
}

TEST(DropTo, W6_ExactlyOneOfTheFive) {
  for (const std::string_view other : {"at_most", "below", "at_least", "above"})
    EXPECT_NE(with_drop(fmt::format(R"("drop_to": 0.6, "{}": 5)", other)).find("found several"),
              std::string::npos)
        << other;
}

TEST(DropTo, W6_WhatCannotStandBesideItIsAMistake) {
  const struct {
    std::string_view members;
    std::string_view text;
  } cases[] = {
      {R"("period_seconds": 300, "periods": 6)",
       "watches.w.source: `drop_to` compares a metric that the job prints with its own past: "
       "expected `algorithm`, found `instance`"},
      {R"("source": "algorithm", "period_seconds": 300, "periods": 6, "per_gpu": true)",
       "watches.w.per_gpu: `drop_to` is a share of what the job itself did: expected none of "
       "per_gpu, per_core"},
      {R"("source": "algorithm", "period_seconds": 300, "periods": 6, "per_core": true)",
       "watches.w.per_core: `drop_to` is a share of what the job itself did: expected none of "
       "per_gpu, per_core"},
      {R"("source": "algorithm", "period_seconds": 300, "periods": 6, "hosts": "mean")",
       "watches.w.hosts: `drop_to` has one metric a job, which has no hosts: expected none, found "
       "`mean`"},
      {R"("source": "algorithm", "period_seconds": 300, "periods": 30, "missing": "breaching")",
       "watches.w.missing: silence is no drop: expected `notBreaching`, `ignore` or `missing` "
       "beside `drop_to`, found `breaching`; `\"statistic\": \"SampleCount\", \"below\": 1` "
       "watches "
       "silence"},
      {R"("source": "algorithm", "period_seconds": 420, "periods": 6)",
       "watches.w.period_seconds: expected a multiple of 300 up to 3600 beside `drop_to`"},
      {R"("source": "algorithm", "period_seconds": 7200, "periods": 6)",
       "watches.w.period_seconds: expected a multiple of 300 up to 3600 beside `drop_to`"},
  };
  for (const auto& c : cases) {
    const std::string found = mistake(std::string(c.members) + R"(, "drop_to": 0.6)");
    EXPECT_NE(found.find(c.text), std::string::npos) << found;
    // None of them is one beside a threshold.
    const std::string absolute = mistake(std::string(c.members) + R"(, "below": 5)");
    EXPECT_EQ(absolute, "") << c.members;
  }
}

}  // namespace
}  // namespace trainwarden::rules::drop_to_test
