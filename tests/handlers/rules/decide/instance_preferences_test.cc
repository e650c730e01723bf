// F16: a job may name several machines in InstancePreferences, of which AWS selects one. Until then
// rules see the worst that may come, and an allowed type excuses no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/facts/facts.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::instance_preferences_test {
namespace {

using test::doc;

Sources sources_of(std::string_view resources, std::string_view more = "") {
  Sources out(test::running());
  out.set(Source::kDescribe,
          doc(std::string(R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                 "SecondaryStatus": "Starting", "CreationTime": 1783000000,
                 "StoppingCondition": {"MaxRuntimeInSeconds": 36000}, "ResourceConfig": )") +
              std::string(resources) + std::string(more) + "}"));
  out.set(Source::kTags, doc("{}"));
  return out;
}

// Rules that stop p5 machines, many machines, many GPUs, much money, or what is not allowed.
constexpr std::string_view kRules = R"({"version": 1, "mode": "enforce",
  "prices": {"ml.p5.48xlarge": 50, "ml.g5.48xlarge": 10, "ml.g5.xlarge": 1},
  "rules": [
  {"name": "p5", "match": {"resources": {"instance_types": [{"prefix": "ml.p5"}]}},
   "actions": ["stop"]},
  {"name": "many", "match": {"resources": {"instance_count": [{"numeric": [">=", 8]}]}},
   "actions": ["stop"]},
  {"name": "gpus", "match": {"resources": {"gpus": [{"numeric": [">=", 64]}]}},
   "actions": ["stop"]},
  {"name": "per-instance", "match": {"resources": {"gpus_per_instance": [8]}},
   "actions": ["stop"]},
  {"name": "dear", "match": {"cost": {"max_usd": [{"numeric": [">=", 4000]}]}},
   "actions": ["stop"]},
  {"name": "rate", "match": {"cost": {"usd_per_hour": [{"numeric": [">=", 400]}]}},
   "actions": ["stop"]},
  {"name": "not-allowed", "match": {"resources":
    {"instance_types": [{"anything-but": {"prefix": "ml.g5."}}]}}, "actions": ["stop"]},
  {"name": "all-but-allowed", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
   "unless": {"resources": {"instance_types": [{"prefix": "ml.g5."}]}}, "actions": ["stop"]},
  {"name": "all-but-cheap", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
   "unless": {"cost": {"usd_per_hour": [{"numeric": ["<", 100]}]}}, "actions": ["stop"]}]})";

std::vector<std::string> held(std::string_view resources) {
  const Policy policy = test::policy(kRules);
  const Sources sources = sources_of(resources);
  const Evaluation found = decide(
      policy, facts_from(sources, policy.prices(), test::kNow, policy.failures()), Mode::kEnforce);
  std::vector<std::string> out;
  for (const Decision& decision : found.decisions) out.push_back(decision.rule);
  for (const Skipped& skipped : found.skipped) out.push_back("skipped " + skipped.rule);
  return out;
}

const std::vector<std::string> kAll = {"p5",           "many", "gpus",        "per-instance",
                                       "dear",         "rate", "not-allowed", "all-but-allowed",
                                       "all-but-cheap"};

TEST(InstancePreferencesF16, EightP5InEachFormMatchTheSameRules) {
  for (const std::string_view form : {
           R"({"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
           R"({"InstanceCount": 0, "InstanceGroups": [
               {"InstanceGroupName": "a", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}]})",
           R"({"InstancePreferences": [{"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}]})",
           R"({"InstanceCount": 8, "InstancePreferences": [{"InstanceType": "ml.p5.48xlarge"}]})",
           // One allowed and cheap preference excuses no other, wherever it stands.
           R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                       {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}]})",
           R"({"InstancePreferences": [{"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8},
                                       {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}]})",
           // Selected, whether Describe fills InstanceType as well or instead, or not.
           R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                       {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}],
               "SelectedInstanceType": "ml.p5.48xlarge", "SelectedInstanceCount": 8})",
           R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                       {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}],
               "SelectedInstanceType": "ml.p5.48xlarge", "SelectedInstanceCount": 8,
               "InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
           R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                       {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}],
               "InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
           R"({"InstanceCount": 0, "InstanceType": "ml.p5.48xlarge", "InstancePreferences": [
               {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}]})",
       })
    EXPECT_EQ(held(form), kAll) << form;
}

TEST(InstancePreferencesF16, WhatIsAllowedInEachPreferenceIsLeftAlone) {
  EXPECT_EQ(held(R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                             {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2}]})"),
            std::vector<std::string>());
  // What was selected counts, not what could have been.
  EXPECT_EQ(held(R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                             {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}],
                     "SelectedInstanceType": "ml.g5.xlarge", "SelectedInstanceCount": 1})"),
            std::vector<std::string>());
}

TEST(InstancePreferencesF16, AnExemptionThatNamesTheMemberHoldsForEachToo) {
  const Policy policy = test::policy(test::stop_rule(
      R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}},
         "unless": {"job": {"ResourceConfig": {"InstancePreferences": {
           "InstanceType": [{"prefix": "ml.g5."}]}}}})"));
  const auto stops = [&](std::string_view resources) {
    const Sources sources = sources_of(resources);
    return !decide(policy, facts_from(sources, policy.prices(), test::kNow), Mode::kEnforce)
                .decisions.empty();
  };
  EXPECT_TRUE(stops(R"({"InstanceCount": 1, "InstancePreferences": [
      {"InstanceType": "ml.g5.xlarge"}, {"InstanceType": "ml.p5.48xlarge"}]})"));
  EXPECT_FALSE(stops(R"({"InstanceCount": 1, "InstancePreferences": [
      {"InstanceType": "ml.g5.xlarge"}, {"InstanceType": "ml.g5.2xlarge"}]})"));
}

TEST(InstancePreferencesF16, TheWorstIsSaidToBeAtMost) {
  const Policy policy = test::policy(kRules);
  const auto values = [&](std::string_view resources) {
    const Sources sources = sources_of(resources);
    const Evaluation found =
        decide(policy, facts_from(sources, policy.prices(), test::kNow, policy.failures()),
               Mode::kEnforce);
    std::vector<std::string> out;
    for (const Decision& decision : found.decisions)
      if (!decision.because.empty() && decision.because[0].group != Group::kJob)
        out.push_back(decision.because[0].value);
    return out;
  };
  EXPECT_EQ(values(R"({"InstanceCount": 8, "InstancePreferences": [
                       {"InstanceType": "ml.g5.48xlarge"}, {"InstanceType": "ml.p5.48xlarge"}]})"),
            (std::vector<std::string>{"ml.p5.48xlarge", "at most 8", "at most 64", "8",
                                      "at most 4000", "at most 400", "ml.p5.48xlarge"}));
  EXPECT_EQ(values(R"({"InstanceCount": 8, "InstanceType": "ml.p5.48xlarge"})"),
            (std::vector<std::string>{"ml.p5.48xlarge", "8", "64", "8", "4000", "400",
                                      "ml.p5.48xlarge"}));
}

TEST(InstancePreferencesF16, AMissingPriceOfOnePreferenceIsUnavailable) {
  const auto rules = held(R"({"InstanceCount": 8, "InstancePreferences": [
                       {"InstanceType": "ml.g5.48xlarge"}, {"InstanceType": "ml.p4d.24xlarge"}]})");
  EXPECT_TRUE(std::ranges::count(rules, "skipped dear")) << ::testing::PrintToString(rules);
  EXPECT_FALSE(std::ranges::count(rules, "dear"));
}

struct Bad {
  std::string_view resources;
  std::string_view why;
};

TEST(InstancePreferencesF16, WhatMakesNoSenseIsUnavailableAndNamed) {
  const std::array<Bad, 9> cases = {{
      {R"({"InstanceCount": 2, "InstancePreferences": [
           {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}]})",
       "`ResourceConfig.InstancePreferences.InstanceCount`: expected a count in each preference or "
       "once beside the list, found both"},
      {R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
                                   {"InstanceType": "ml.p5.48xlarge"}]})",
       "`ResourceConfig.InstancePreferences.InstanceCount`: expected a count in each preference or "
       "once beside the list, found neither"},
      {R"({"InstancePreferences": []})",
       "`ResourceConfig.InstancePreferences`: expected a preference or more, found `[]`"},
      {R"({"InstancePreferences": {"InstanceType": "ml.g5.xlarge"}})",
       "`ResourceConfig.InstancePreferences`: expected a list, found "
       "`{\"InstanceType\":\"ml.g5.xlarge\"}`"},
      {R"({"InstancePreferences": [{"InstanceType": 5, "InstanceCount": 1}]})",
       "`ResourceConfig.InstancePreferences.InstanceType`: expected an instance type, found `5`"},
      {R"({"InstancePreferences": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": "1"}]})",
       "`ResourceConfig.InstancePreferences.InstanceCount`: expected a number, found `\"1\"`"},
      {R"({"InstancePreferences": ["ml.g5.xlarge"]})",
       "`ResourceConfig.InstancePreferences`: expected `InstanceType` in each preference, found "
       "`\"ml.g5.xlarge\"`"},
      {R"({"InstancePreferences": [{"InstancePool": "a", "InstanceCount": 1}]})",
       "`ResourceConfig.InstancePreferences.InstancePool` is not known to this version"},
      {R"({"SelectedInstanceType": 7})",
       "`ResourceConfig.SelectedInstanceType`: expected an instance type, found `7`"},
  }};
  for (const Bad& bad : cases) {
    const Sources sources = sources_of(bad.resources);
    const Facts facts = facts_from(sources, test::kNow);
    EXPECT_FALSE(facts.knows(Group::kMachines)) << bad.resources;
    ASSERT_NE(facts.unavailable(Source::kMachines), nullptr) << bad.resources;
    EXPECT_EQ(facts.unavailable(Source::kMachines)->message, bad.why);
    EXPECT_FALSE(facts.knows(Group::kCost));
    EXPECT_EQ(facts.lacking(Group::kFleet).names(), "fleet, machines");
  }
}

TEST(InstancePreferencesF16, ARecordOfSearchNominatesAsDescribeDecides) {
  const Policy policy = test::policy(kRules);
  const auto nominated = [&](std::string_view resources) {
    const json::Document record =
        doc(std::string(R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
            "SecondaryStatus": "Starting", "CreationTime": 1783000000, "ResourceConfig": )") +
            std::string(resources) + "}");
    const auto search = sources_of_search(read_training_job(record.root()));
    return nominate(policy, *search, test::kNow).look;
  };
  EXPECT_TRUE(nominated(R"({"InstancePreferences": [
      {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
      {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8}]})"));
  EXPECT_FALSE(nominated(R"({"InstancePreferences": [
      {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}]})"));
}

}  // namespace
}  // namespace trainwarden::rules::instance_preferences_test
