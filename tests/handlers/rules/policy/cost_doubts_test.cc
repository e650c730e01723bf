// P2: what is told of rules that ask for cost.
#include "handlers/rules/policy/cost_doubts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::cost_doubts_test {
namespace {

struct Doubts {
  std::vector<std::string> certain;
  std::vector<std::string> machines;
};

Doubts doubts_of(std::string_view prices, std::string_view rule,
                 std::string_view actions = R"(["stop"])") {
  std::string text = R"({"version": 1, )";
  if (!prices.empty()) text += R"("prices": )" + std::string(prices) + ", ";
  const Policy policy = test::policy(text + R"("rules": [{"name": "r", "actions": )" +
                                     std::string(actions) + ", " + std::string(rule) + "}]}");
  return {test::texts(cost_doubts(policy)), test::texts(unpriced_machines(policy))};
}

bool says(const std::vector<std::string>& all, std::string_view part) {
  return all.size() == 1 && all[0].find(part) != std::string::npos;
}

constexpr std::string_view kSpent = R"("match": {"cost": {"spent_usd": [{"numeric": [">", 1]}]}})";

TEST(CostDoubtsP2, ARuleOnCostWithoutPricesIsToldOf) {
  const Doubts out = doubts_of("", kSpent);
  EXPECT_TRUE(says(out.certain,
                   "rules[0] (r): asks for cost, and is skipped for every job: the "
                   "policy has no `prices`; `trainwarden prices"));
  EXPECT_TRUE(out.machines.empty());
  EXPECT_EQ(doubts_of("", R"("match": {"tags": {"a": ["b"]}})").certain.size(), 0U);
}

TEST(CostDoubtsP2, AnExemptionThatAsksForCostNeedsPricesToo) {
  EXPECT_TRUE(says(doubts_of("", R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}},
                                    "unless": {"cost": {"max_usd": [{"numeric": ["<", 5]}]}})")
                       .certain,
                   "is skipped for every job"));
}

TEST(CostDoubtsP2, ARuleOnThePoolsCostNeedsPricesToo) {
  constexpr std::string_view kPool =
      R"("match": {"warm_pool": {"remaining_usd": [{"numeric": [">", 5]}]}})";
  EXPECT_TRUE(says(doubts_of("", kPool, R"(["release"])").certain, "is skipped for every job"));
  EXPECT_TRUE(says(doubts_of(R"({"ml.p5.48xlarge": 55})", kPool, R"(["release"])").machines,
                   "ml.p5e.48xlarge"));
  // No spot job leaves a pool.
  EXPECT_TRUE(doubts_of(R"({"ml.p5.48xlarge": 55})", kPool, R"(["stop"])").certain.empty());
  for (const std::string_view free :
       {R"("match": {"warm_pool": {"idle_seconds": [{"numeric": [">", 5]}]}})",
        R"("match": {"warm_pool": {"remaining_seconds": [{"numeric": [">", 5]}]}})"})
    EXPECT_TRUE(doubts_of("", free, R"(["release"])").certain.empty()) << free;
}

TEST(CostDoubtsP2, TypesThatTheRuleNamesAndPricesLack) {
  const Doubts out =
      doubts_of(R"({"ml.p5.48xlarge": 55, "spot_factor": 0.5})",
                R"("match": {"resources": {"instance_types": ["ml.p5.48xlarge", "ml.p5e.48xlarge"]},
                                  "cost": {"spent_usd": [{"numeric": [">", 1]}]}})");
  EXPECT_TRUE(says(out.certain, "skipped for jobs on ml.p5e.48xlarge, which `prices` lacks"));
  EXPECT_TRUE(out.machines.empty()) << out.machines[0];
}

TEST(CostDoubtsP2, APriceOfNothingIsToldOf) {
  constexpr std::string_view kFree =
      R"({"ml.p5.48xlarge": 0, "ml.m5.large": 1, "spot_factor": 0.5})";
  EXPECT_TRUE(says(doubts_of(kFree, kSpent).certain, "counts jobs on ml.p5.48xlarge as free"));
  EXPECT_TRUE(doubts_of(kFree, R"("match": {"resources": {"instance_types": ["ml.m5.large"]},
      "cost": {"spent_usd": [{"numeric": [">", 1]}]}})")
                  .certain.empty());
  EXPECT_TRUE(doubts_of(kFree, R"("match": {"tags": {"a": ["b"]}})").certain.empty());
}

TEST(CostDoubtsP2, KnownTypesThatAnOpenRuleMayMeet) {
  constexpr std::string_view kFew = R"({"ml.p5.48xlarge": 55, "spot_factor": 0.5})";
  const Doubts out = doubts_of(kFew, kSpent);
  EXPECT_TRUE(out.certain.empty());
  ASSERT_TRUE(says(out.machines, "ml.p5e.48xlarge"));
  EXPECT_TRUE(says(out.machines, "(r)"));
  EXPECT_EQ(out.machines[0].find("ml.p5.48xlarge"), std::string::npos);
  // Not those that the rule refuses.
  const Doubts some = doubts_of(kFew, R"("match": {"cost": {"max_usd": [{"numeric": [">", 1]}]},
      "resources": {"instance_types": [{"prefix": "ml.p5"}]}})");
  ASSERT_TRUE(says(some.machines, "ml.p5en.48xlarge"));
  EXPECT_EQ(some.machines[0].find("ml.g5."), std::string::npos);
  EXPECT_TRUE(doubts_of(kFew, R"("match": {"cost": {"max_usd": [{"numeric": [">", 1]}]},
      "resources": {"accelerator": ["none"]}})")
                  .machines.empty());
  EXPECT_TRUE(doubts_of(kFew, R"("match": {"tags": {"a": ["b"]}})").machines.empty());
}

// Issue 41, 8: no region sells all types, so that only those count which the policy names or
// allows.
TEST(CostDoubtsP2, TypesThatThePolicyAllowsCountAndOthersAreAHint) {
  const Policy policy = test::policy(
      R"({"version": 1, "prices": {"ml.p5.48xlarge": 55, "spot_factor": 0.5}, "rules": [
        {"name": "allowed", "actions": ["stop"], "match": {"resources": {"instance_types": [
          {"anything-but": ["ml.p5.48xlarge", "ml.g5.xlarge", "ml.m5.large"]}]}}},
        {"name": "r", "actions": ["stop"], )" +
      std::string(kSpent) + "}]}");
  const std::vector<Remark> out = unpriced_machines(policy);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_FALSE(out[0].is_hint);
  EXPECT_TRUE(out[0].message.starts_with(
      "no price for ml.g5.xlarge, ml.m5.large, which the policy names or allows"))
      << out[0].message;
  EXPECT_TRUE(out[1].is_hint);
  EXPECT_EQ(out[1].message.find("ml.g5.xlarge"), std::string::npos);
}

TEST(CostDoubtsP2, ARuleThatStopsOnTheCostOfSpotWithoutAFactor) {
  constexpr std::string_view kPlain =
      R"({"ml.p5.48xlarge": 55, "ml.m5.large": {"usd": 1, "spot_factor": 0.3}})";
  EXPECT_TRUE(
      says(doubts_of(kPlain, kSpent).certain, "`prices` has no spot_factor for ml.p5.48xlarge"));
  EXPECT_TRUE(says(doubts_of(kPlain, kSpent, R"(["restart"])").certain, "spot_factor"));
  EXPECT_TRUE(doubts_of(kPlain, kSpent, R"(["notify"])").certain.empty());
  EXPECT_TRUE(doubts_of(R"({"ml.p5.48xlarge": 55, "spot_factor": 0.4})", kSpent).certain.empty());
  for (
      const std::string_view without :
      {R"("match": {"resources": {"spot": [false]}, "cost": {"spent_usd": [{"numeric": [">", 1]}]}})",
       R"("match": {"job": {"EnableManagedSpotTraining": [false]}, "cost": {"spent_usd": [{"numeric": [">", 1]}]}})",
       R"("match": {"cost": {"spent_usd": [{"numeric": [">", 1]}]}}, "unless": {"resources": {"spot": [true]}})",
       R"("match": {"cost": {"spent_usd": [{"numeric": [">", 1]}]}, "resources": {"instance_types": ["ml.m5.large"]}})"})
    EXPECT_TRUE(doubts_of(kPlain, without).certain.empty()) << without;
  // An exemption of cheap jobs does not hold at an upper bound.
  constexpr std::string_view kCheap = R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}},
      "unless": {"cost": {"max_usd": [{"numeric": ["<", 100]}]}})";
  EXPECT_TRUE(says(doubts_of(kPlain, kCheap).certain, "no spot_factor for ml.p5.48xlarge"));
  EXPECT_TRUE(doubts_of(R"({"ml.p5.48xlarge": 55, "spot_factor": 0.4})", kCheap).certain.empty());
  // Some spot jobs are exempt only.
  EXPECT_FALSE(doubts_of(kPlain, R"("match": {"cost": {"spent_usd": [{"numeric": [">", 1]}]}},
      "unless": {"resources": {"spot": [true]}, "tags": {"a": ["b"]}})")
                   .certain.empty());
}

TEST(CostDoubtsP2, TheyAreAmongWhatIsToldAtStart) {
  const Policy policy =
      test::policy(R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"], )" +
                   std::string(kSpent) + "}]}");
  EXPECT_EQ(test::texts(warnings_of(policy)), test::texts(cost_doubts(policy)));
}

}  // namespace
}  // namespace trainwarden::rules::cost_doubts_test
