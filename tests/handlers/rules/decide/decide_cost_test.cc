// F1 of prices: a machine without a price is unavailable, never free, and no event comes again for
// it; and what a spot job costs.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/decide/nominate.h"
#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_cost_test {
namespace {

using test::kNow;
using test::Snapshot;

constexpr std::string_view kPrices = R"("prices": {"ml.p4d.24xlarge": 30, "ml.m5.large": 0.1}, )";

// A policy of one rule that stops.
std::string priced(std::string_view members, std::string_view prices = kPrices) {
  return R"({"version": 1, "mode": "enforce", )" + std::string(prices) +
         R"("rules": [{"name": "r", "actions": ["stop"], )" + std::string(members) + "}]}";
}

RuleVerdict judge_cost(const std::string& policy, const Snapshot& snapshot) {
  const Sources sources = snapshot.sources();
  const Policy parsed = test::policy(policy);
  return evaluate_rule(parsed, 0, facts_from(sources, parsed.prices(), kNow), Mode::kEnforce);
}

constexpr std::string_view kDear = R"("match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                                "cost": {"spent_usd": [{"numeric": [">", 100]}]}})";

constexpr std::string_view kP5e =
    R"({"TrainingJobStatus": "InProgress", "TrainingStartTime": 1782745000,
    "ResourceConfig": {"InstanceType": "ml.p5e.48xlarge", "InstanceCount": 1}})";
constexpr std::string_view kP4d =
    R"({"TrainingJobStatus": "InProgress", "TrainingStartTime": 1782745000,
    "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}})";

// A p5e of 71 hours ran on, and the policy was sound.
TEST(DecideF1, AMissingPriceIsUnavailableAndNamesTheType) {
  const RuleVerdict out = judge_cost(priced(kDear), {kP5e, ""});
  EXPECT_EQ(name(out.verdict), "unavailable");
  ASSERT_TRUE(out.skipped);
  EXPECT_EQ(out.skipped->sources.names(), "prices");
  EXPECT_EQ(text(*out.skipped), "prices: the policy has no price for ml.p5e.48xlarge");
  EXPECT_FALSE(out.skipped->comes_again);
  EXPECT_EQ(name(judge_cost(priced(kDear), {kP4d, ""}).verdict), "true");
  const RuleVerdict without = judge_cost(priced(kDear, ""), {kP4d, ""});
  ASSERT_TRUE(without.skipped);
  EXPECT_EQ(text(*without.skipped), "prices: the policy has no price for ml.p4d.24xlarge");
}

struct CostCase {
  std::string_view why;
  std::string_view rule;
  Snapshot snapshot;
  Truth verdict;
  std::string_view error = "";
};

const CostCase kCostCases[] = {
    {"of groups the one without a price is named",
     kDear,
     {R"({"TrainingJobStatus": "InProgress", "ResourceConfig": {"InstanceGroups": [
          {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1},
          {"InstanceType": "ml.trn1.32xlarge", "InstanceCount": 2},
          {"InstanceType": "ml.trn1.32xlarge", "InstanceCount": 1}]}})",
      ""},
     Truth::kUnavailable,
     "prices: the policy has no price for ml.trn1.32xlarge"},
    {"a job without machines of its own costs nothing by the hour, and needs no price",
     kDear,
     {R"({"TrainingJobStatus": "InProgress", "ServerlessJobConfig": {"JobType": "FineTuning"}})",
      ""},
     Truth::kFalse},
    {"its cost is absent",
     R"("match": {"cost": {"spent_usd": [{"exists": false}]}})",
     {R"({"TrainingJobStatus": "InProgress", "ServerlessJobConfig": {"JobType": "FineTuning"}})",
      ""},
     Truth::kTrue},
    {"F16: that of one whose machines nothing tells is not",
     R"("match": {"cost": {"spent_usd": [{"exists": false}]}})",
     {R"({"TrainingJobStatus": "InProgress"})", ""},
     Truth::kUnavailable,
     "machines: expected machines in `ResourceConfig`, or `ServerlessJobConfig`, found neither"},
    {"that of a machine without a price is not",
     R"("match": {"cost": {"spent_usd": [{"exists": false}]}})",
     {kP5e, ""},
     Truth::kUnavailable,
     "prices: the policy has no price for ml.p5e.48xlarge"},
    {"a rule that is false anyway needs no price",
     R"("match": {"job": {"TrainingJobStatus": ["Failed"]}, "cost": {"max_usd": [{"numeric": [">", 1]}]}})",
     {kP5e, ""},
     Truth::kFalse},
    {"nor does one that is true anyway",
     R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "$or": [
          {"cost": {"max_usd": [{"numeric": [">", 1]}]}}, {"runtime": {"training_seconds": [{"numeric": [">", 60]}]}}]})",
     {kP5e, ""},
     Truth::kTrue},
    {"an exemption that asks for cost is not refuted by a missing price",
     R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "unless": {"cost": {"max_usd": [{"numeric": ["<", 5]}]}})",
     {kP5e, ""},
     Truth::kUnavailable,
     "prices: the policy has no price for ml.p5e.48xlarge"},
    {"whose prices they must be is known after Describe",
     kDear,
     {"!", ""},
     Truth::kUnavailable,
     "describe: not allowed"},
};

TEST(DecideF1, WhatAMissingPriceMakesOfARule) {
  for (const CostCase& c : kCostCases) {
    SCOPED_TRACE(c.why);
    const RuleVerdict out = judge_cost(priced(c.rule), c.snapshot);
    EXPECT_EQ(name(out.verdict), name(c.verdict));
    EXPECT_EQ(out.skipped ? text(*out.skipped) : "", c.error);
  }
}

// Tags may make it false, or be asked for in vain: then the event comes again for their sake.
TEST(DecideF1, WhatMayPassIsNotHiddenByAMissingPrice) {
  constexpr std::string_view kRule =
      R"("match": {"cost": {"max_usd": [{"numeric": [">", 1]}]}, "tags": {"team": ["vision"]}})";
  EXPECT_EQ(judge_cost(priced(kRule), {kP5e, ""}).needs.names(), "tags");
  EXPECT_EQ(judge_cost(priced(kRule), {kP5e, "{}"}).verdict, Truth::kFalse);
  const RuleVerdict out = judge_cost(priced(kRule), {kP5e, "!"});
  ASSERT_TRUE(out.skipped);
  EXPECT_EQ(out.skipped->sources.names(), "tags, prices");
  EXPECT_TRUE(out.skipped->comes_again);
}

TEST(DecideF1, APriceIsNothingToLookAtAgain) {
  const RuleVerdict out = judge_cost(priced(kDear), {kP4d, ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(out.decision->rests_on.names(), "describe");
}

// A look would tell no more: the machine keeps its type, and the policy its prices.
TEST(Nominate, S1_AJobWithoutAPriceIsNotLookedAtForARuleOnCost) {
  const Policy policy = test::policy(priced(kDear));
  for (const auto& [type, look] :
       {std::pair("ml.p4d.24xlarge", true), {"ml.p5e.48xlarge", false}}) {
    const json::Document record = test::doc(
        R"({"TrainingJobName": "job-1", "TrainingJobStatus": "InProgress", "CreationTime": 1782745000,
            "TrainingStartTime": 1782745000, "Tags": [],
            "ResourceConfig": {"InstanceCount": 1, "InstanceType": ")" +
        std::string(type) + R"("}})");
    const auto search = sources_of_search(read_training_job(record.root()));
    ASSERT_TRUE(search);
    EXPECT_EQ(nominate(policy, *search, kNow).look, look) << type;
  }
}

// Ten hours on one p4d at 30 USD.
std::string spot_job(std::string_view more) {
  return R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
             "TrainingStartTime": 1782964600, "SecondaryStatusTransitions": [
               {"Status": "Training", "StartTime": 1782964600}],
             "StoppingCondition": {"MaxRuntimeInSeconds": 72000}, )" +
         std::string(more) +
         R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}})";
}

std::string told(std::string_view prices, std::string_view fact, std::string_view more = "") {
  const std::string job = spot_job(more);
  const RuleVerdict out = judge_cost(
      priced(R"("match": {"cost": {")" + std::string(fact) + R"(": [{"exists": true}]}})",
             R"("prices": )" + std::string(prices) + ", "),
      {job, ""});
  return out.decision ? out.decision->because.at(0).value : std::string(name(out.verdict));
}

TEST(CostOfSpotF2, WithoutAFactorItIsAnUpperBoundAndSaysSo) {
  constexpr std::string_view kPlain = R"({"ml.p4d.24xlarge": 30})";
  EXPECT_EQ(told(kPlain, "usd_per_hour"), "at most 30");
  EXPECT_EQ(told(kPlain, "spent_usd"), "at most 300");
  EXPECT_EQ(told(kPlain, "max_usd"), "at most 600");
  // On demand it is no bound.
  const RuleVerdict out = judge_cost(
      priced(R"("match": {"cost": {"spent_usd": [{"exists": true}]}})"),
      {R"({"TrainingStartTime": 1782964600, "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}})",
       ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(out.decision->because[0].value, "300");
}

TEST(CostOfSpotF2, AFactorIsWhatSpotPaysOfThePrice) {
  for (const std::string_view prices :
       {R"({"ml.p4d.24xlarge": 30, "spot_factor": 0.5})",
        R"({"ml.p4d.24xlarge": {"usd": 30, "spot_factor": 0.5}})",
        R"({"spot_factor": 0.9, "ml.p4d.24xlarge": {"usd": 30, "spot_factor": 0.5}})"}) {
    EXPECT_EQ(told(prices, "usd_per_hour"), "15");
    EXPECT_EQ(told(prices, "spent_usd"), "150");
    EXPECT_EQ(told(prices, "max_usd"), "300");
  }
}

// (1 - BillableTimeInSeconds / TrainingTimeInSeconds) is the discount: it must not count twice.
TEST(CostOfSpotF2, WhatSageMakerBillsContainsTheDiscount) {
  constexpr std::string_view kBilled =
      R"("TrainingTimeInSeconds": 36000, "BillableTimeInSeconds": 12000, )";
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30})", "spent_usd", kBilled), "100");
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30, "spot_factor": 0.5})", "spent_usd", kBilled), "100");
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30})", "max_usd", kBilled), "at most 600");
}

// A bill of the first hour of ten says nothing of the nine since.
TEST(CostOfSpotF2, ABillOfAJobThatRunsCoversTheTimeBesideIt) {
  constexpr std::string_view kEarly =
      R"("TrainingTimeInSeconds": 3600, "BillableTimeInSeconds": 1200, )";
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30})", "spent_usd", kEarly), "at most 280");
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30, "spot_factor": 0.5})", "spent_usd", kEarly), "145");
  // On demand it is no estimate, and without the time nobody knows what is covered.
  const auto on_demand = [](std::string_view bill) {
    const RuleVerdict out = judge_cost(
        priced(R"("match": {"cost": {"spent_usd": [{"exists": true}]}})"),
        {R"({"TrainingJobStatus": "InProgress", "TrainingStartTime": 1782964600, )" +
             std::string(bill) +
             R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}})",
         ""});
    return out.decision ? out.decision->because.at(0).value : std::string(name(out.verdict));
  };
  EXPECT_EQ(on_demand(R"("TrainingTimeInSeconds": 3600, "BillableTimeInSeconds": 3600, )"), "300");
  EXPECT_EQ(on_demand(R"("BillableTimeInSeconds": 5, )"), "300");
}

TEST(CostOfSpotF2, ABillOfNothingIsNoneWhileTheJobRuns) {
  EXPECT_EQ(told(R"({"ml.p4d.24xlarge": 30})", "spent_usd", R"("BillableTimeInSeconds": 0, )"),
            "at most 300");
}

// 5,583 USD were counted where about 2,000 were spent.
TEST(CostOfSpotF2, AHealthySpotJobIsNotStoppedForMoneyItHasNotSpent) {
  constexpr std::string_view kRule =
      R"("match": {"cost": {"spent_usd": [{"numeric": [">", 200]}]}})";
  const std::string job = spot_job("");
  EXPECT_EQ(judge_cost(priced(kRule, R"("prices": {"ml.p4d.24xlarge": 30, "spot_factor": 0.36}, )"),
                       {job, ""})
                .verdict,
            Truth::kFalse);
}

}  // namespace
}  // namespace trainwarden::rules::decide_cost_test
