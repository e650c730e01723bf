// handlers/policy.json, and every ```jsonc block of handlers/policy.md as it stands in the file.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules {
namespace {

using test::doc;
using test::kNow;

std::vector<std::string> blocks() {
  const std::string text = test::read_file("handlers/policy.md");
  constexpr std::string_view kOpen = "```jsonc\n";
  std::vector<std::string> out;
  for (std::size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
    at += kOpen.size();
    const std::size_t end = text.find("```", at);
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

// The cookbook's rules by name, each as an enforcing policy of its own.
std::map<std::string, std::string> cookbook() {
  std::map<std::string, std::string> out;
  for (const std::string& block : blocks()) {
    const json::Document document = doc(block);
    const auto name = document.root().find("name");
    if (!name) continue;
    out[std::string(name->as_string())] =
        R"({"version": 1, "mode": "enforce", "rules": [)" + block + "]}";
  }
  return out;
}

TEST(ShippedPolicy, LoadsWithoutWarningsAndObserves) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  EXPECT_EQ(policy.mode(), Mode::kObserve);
  EXPECT_EQ(policy.warnings().size(), 0U);
  ASSERT_EQ(policy.rules().size(), 1U);
  EXPECT_EQ(policy.rules()[0].name, "required-tags");
  EXPECT_EQ(test::kinds(policy.rules()[0].actions),
            (std::vector{ActionKind::kStop, ActionKind::kNotify}));
  EXPECT_FALSE(policy.rules()[0].message.empty());
}

TEST(ShippedPolicy, StopsTheUntaggedJobOnly) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  Sources sources(test::running());
  const Evaluation first = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  EXPECT_EQ(first.needs.names(), "tags");
  sources.set(Source::kTags, doc("{}"));
  const Evaluation second = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  ASSERT_EQ(second.decisions.size(), 1U);
  EXPECT_TRUE(second.decisions[0].rests_on_absent_tag);
  sources.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  EXPECT_TRUE(decide(policy, facts_from(sources, kNow), Mode::kEnforce).decisions.empty());
}

TEST(Cookbook, EveryBlockLoadsWithoutWarnings) {
  ASSERT_GE(blocks().size(), 5U);
  for (const std::string& block : blocks()) {
    const bool whole = doc(block).root().find("version").has_value();
    const std::string text = whole ? block : R"({"version": 1, "rules": [)" + block + "]}";
    const auto policy = parse_policy(text);
    ASSERT_TRUE(policy) << policy.error().message << "\n" << block;
    EXPECT_EQ(policy->warnings().size(), 0U) << block;
  }
}

struct Case {
  std::string_view rule;
  std::string_view describe;  // beside TrainingJobStatus InProgress, unless it says otherwise
  std::string_view tags;
  bool holds;
};

constexpr Case kCases[] = {
    {"model-and-team", "", R"({"model_name": "llm", "team": "vision"})", false},
    {"model-and-team", "", R"({"model_name": "llm"})", true},
    {"model-and-team", "", R"({"team": "vision"})", true},
    {"model-and-team", "", R"({"model_name": "llm", "team": ""})", true},
    {"model-and-team", R"("TrainingJobStatus": "Completed")", "{}", false},
    {"spot-needs-checkpoints", R"("EnableManagedSpotTraining": true)", "{}", true},
    {"spot-needs-checkpoints",
     R"("EnableManagedSpotTraining": true, "CheckpointConfig": {"S3Uri": "s3://b/c/"})", "{}",
     false},
    {"spot-needs-checkpoints", R"("EnableManagedSpotTraining": false)", "{}", false},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})", "{}", true},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
     R"({"approved_by": "platform"})", false},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
     R"({"approved_by": "myself"})", true},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.m5.large", "InstanceCount": 1},
        {"InstanceType": "ml.p5en.48xlarge", "InstanceCount": 1}]})",
     "{}", true},
    {"large-machines-need-approval", R"("ResourceConfig": {"InstanceType": "ml.g5.xlarge"})", "{}",
     false},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": false)", R"({"data": "customer"})",
     true},
    {"customer-data-is-isolated", "", R"({"data": "restricted"})", true},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": true)", R"({"data": "customer"})",
     false},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": false)", R"({"data": "public"})",
     false},
    {"production-failed", R"("TrainingJobStatus": "Failed")", R"({"stage": "production"})", true},
    {"production-failed", R"("TrainingJobStatus": "Failed")", R"({"stage": "test"})", false},
    {"production-failed", "", R"({"stage": "production"})", false},
};

TEST(Cookbook, RulesHoldForTheJobsTheyMean) {
  const std::map<std::string, std::string> rules = cookbook();
  std::set<std::string> tested;
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.rule) + " " + std::string(c.describe) + " " + std::string(c.tags));
    const auto rule = rules.find(std::string(c.rule));
    ASSERT_NE(rule, rules.end());
    tested.insert(rule->first);
    std::string describe = "{";
    if (c.describe.find("TrainingJobStatus") == std::string_view::npos) {
      describe += R"("TrainingJobStatus": "InProgress",)";
    }
    Sources sources(test::running());
    sources.set(Source::kDescribe, doc(describe + std::string(c.describe) + "}"));
    sources.set(Source::kTags, doc(c.tags));
    const Policy policy = test::policy(rule->second);
    const Truth verdict =
        evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict;
    EXPECT_EQ(name(verdict), c.holds ? "true" : "false");
  }
  for (const auto& [name, text] : rules) EXPECT_TRUE(tested.contains(name)) << name;
}

}  // namespace
}  // namespace trainwarden::rules
