// Every ```jsonc block of handlers/policy.md as it stands in the file, and the rules of
// handlers/policy.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/alarms/job_past.h"
#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/policy/cookbook_cases.h"
#include "tests/handlers/rules/policy/cookbook_restart_cases.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::cookbook_test {
namespace {

using test::doc;
using test::texts;

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

// The block that shows each member of the file is no recipe.
bool shows_the_file(const json::Document& document) {
  return document.root().find("$schema").has_value();
}

// A rule of the cookbook, and the policy that it is tested in: its block, if that is a whole
// policy, else one of the rule alone.
struct Recipe {
  std::string policy;
  std::size_t index = 0;
};

std::map<std::string, Recipe> cookbook() {
  std::map<std::string, Recipe> out;
  for (const std::string& block : blocks()) {
    const json::Document document = doc(block);
    if (const auto name = document.root().find("name")) {
      out[std::string(name->as_string())] = {R"({"version": 1, "rules": [)" + block + "]}", 0};
    } else if (!shows_the_file(document)) {
      std::size_t index = 0;
      for (json::Value rule : document.root().find("rules")->elements()) {
        out[std::string(rule.find("name")->as_string())] = {block, index++};
      }
    }
  }
  const std::string shipped = test::read_file("handlers/policy.json");
  const json::Document document = doc(shipped);
  std::size_t index = 0;
  for (json::Value rule : document.root().find("rules")->elements())
    out["shipped/" + std::string(rule.find("name")->as_string())] = {shipped, index++};
  return out;
}

TEST(Cookbook, EveryBlockLoadsWithoutWarnings) {
  ASSERT_GE(blocks().size(), 5U);
  for (const std::string& block : blocks()) {
    const bool whole = doc(block).root().find("version").has_value();
    const std::string text = whole ? block : R"({"version": 1, "rules": [)" + block + "]}";
    const auto policy = parse_policy(text);
    ASSERT_TRUE(policy) << policy.error().message << "\n" << block;
    EXPECT_EQ(texts(warnings_of(*policy)), std::vector<std::string>()) << block;
  }
}

std::vector<test::Case> all_cases() {
  std::vector<test::Case> out(std::begin(test::kCases), std::end(test::kCases));
  out.insert(out.end(), std::begin(test::kRestartCases), std::end(test::kRestartCases));
  return out;
}

TEST(Cookbook, RulesHoldForTheJobsTheyMean) {
  const std::map<std::string, Recipe> rules = cookbook();
  std::set<std::string> tested;
  std::set<std::string> held;
  for (const test::Case& c : all_cases()) {
    SCOPED_TRACE(std::string(c.rule) + " " + std::string(c.describe) + " " + std::string(c.tags));
    const auto rule = rules.find(std::string(c.rule));
    ASSERT_NE(rule, rules.end());
    tested.insert(rule->first);
    if (c.holds) held.insert(rule->first);
    std::string describe = "{";
    if (c.describe.find("TrainingJobStatus") == std::string_view::npos) {
      describe += R"("TrainingJobStatus": "InProgress",)";
    }
    JobEvent event = test::running();
    event.account = c.account;
    event.region = "eu-central-1";
    if (!c.alarm.empty())
      event.alarm = {"trainwarden/train-1/w", std::string(c.alarm), std::string(c.alarm_state)};
    if (c.sweep || !c.silence.empty()) event.trigger = Trigger::kSweep;
    Sources sources(event);
    if (!c.silence.empty()) sources.set(Source::kSilence, doc(c.silence));
    if (!c.checkpoint.empty()) sources.set(Source::kCheckpoint, doc(c.checkpoint));
    sources.set(Source::kDescribe, doc(describe + std::string(c.describe) + "}"));
    sources.set(Source::kTags, doc(c.tags));
    sources.set(Source::kFleet, doc(c.fleet));
    sources.set(Source::kLogs, doc(R"({"tail": [")" + std::string(c.log) + "\"]}"));
    const Policy policy = test::policy(rule->second.policy);
    const Facts facts = facts_from(sources, policy.prices(), *parse_rfc3339(c.now));
    const Truth verdict = evaluate_rule(policy, rule->second.index, facts, Mode::kEnforce).verdict;
    EXPECT_EQ(name(verdict), c.holds ? "true" : "false");
  }
  EXPECT_GE(rules.size(), 15U);
  for (const auto& [name, recipe] : rules) {
    EXPECT_TRUE(tested.contains(name)) << name;
    EXPECT_TRUE(held.contains(name)) << name;
  }
}

// What the recipes for alarms come to on eight ml.p4d.24xlarge, eight GPUs each.
struct RecipeAlarm {
  const char* watch;
  const char* expression;  // empty: the metric itself
  const char* statistic;
  const char* comparison;
  double threshold;
  int seconds;  // that must breach
  const char* missing;
};

constexpr RecipeAlarm kRecipeAlarms[] = {
    {"gpu-idle", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "Maximum", "LessThanOrEqualToThreshold", 8, 1800,
     "notBreaching"},
    {"gpu-below-80", "AVG([m1,m2,m3,m4,m5,m6,m7,m8])", "Average", "LessThanThreshold", 640, 3600,
     "notBreaching"},
    {"heartbeat", "", "SampleCount", "LessThanThreshold", 1, 1800, "breaching"},
    {"loss-spike", "", "Minimum", "GreaterThanThreshold", 20, 900, "notBreaching"},
    {"loss-plateau", "", "Minimum", "GreaterThanOrEqualToThreshold", 2.5, 21600, "notBreaching"},
    {"throughput-drop", "", "p50", "LessThanThreshold", 800, 1500, "notBreaching"},
    {"throughput-halved", "", "p50", "LessThanThreshold", 500, 1500, "notBreaching"},  // W6
    {"disk-nearly-full", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "Maximum",
     "GreaterThanOrEqualToThreshold", 90, 300, "notBreaching"},
    {"no-metrics", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "SampleCount", "LessThanThreshold", 1, 1800,
     "breaching"},
};

std::vector<Watch> recipe_watches() {
  std::vector<Watch> out;
  const auto add = [&out](const std::string& text) {
    const Policy policy = test::policy(text);
    out.insert(out.end(), policy.watches().begin(), policy.watches().end());
  };
  add(test::read_file("handlers/policy.json"));
  for (const std::string& block : blocks()) {
    const json::Document document = doc(block);
    if (!shows_the_file(document) && document.root().find("watches")) add(block);
  }
  return out;
}

TEST(Cookbook, W1_WatchesBecomeTheAlarmsTheyMean) {
  const json::Document describe = doc(R"({
    "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8},
    "AlgorithmSpecification": {"MetricDefinitions": [{"Name": "train:loss", "Regex": "x"},
      {"Name": "train:samples_per_second", "Regex": "y"}]}})");
  std::set<std::string> tested;
  std::vector<std::string> bodies;
  for (const Watch& watch : recipe_watches()) {
    SCOPED_TRACE(watch.name);
    const auto* const wanted =
        std::ranges::find(kRecipeAlarms, watch.name, [](const RecipeAlarm& a) { return a.watch; });
    ASSERT_NE(wanted, std::end(kRecipeAlarms));
    tested.insert(watch.name);
    const AlarmPlan plan =
        plan_alarms(watch.drop_to ? with_past(watch, {.median = 1000}) : watch, "train-1",
                    read_training_job(describe.root()), "arn:aws:sns:x:1:t");
    ASSERT_EQ(plan.alarms.size(), 1U) << plan.none.has_value();
    bodies.push_back(plan.alarms[0].body);
    const json::Document body = doc(bodies.back());
    const json::Value alarm = body.root();
    std::vector<json::Value> metrics;
    if (const auto list = alarm.find("Metrics"))
      for (const json::Value metric : list->elements()) metrics.push_back(metric);
    EXPECT_EQ(metrics.empty() ? "" : metrics[0].find("Expression")->as_string(),
              wanted->expression);
    const json::Value of = metrics.empty() ? alarm : *metrics[1].find("MetricStat");
    const auto extended = alarm.find("ExtendedStatistic");
    EXPECT_EQ((!metrics.empty() ? *of.find("Stat")
               : extended       ? *extended
                                : *of.find("Statistic"))
                  .as_string(),
              wanted->statistic);
    EXPECT_EQ(alarm.find("ComparisonOperator")->as_string(), wanted->comparison);
    EXPECT_EQ(alarm.find("Threshold")->as_number(), wanted->threshold);
    EXPECT_EQ(of.find("Period")->as_number() * alarm.find("DatapointsToAlarm")->as_number(),
              wanted->seconds);
    EXPECT_EQ(alarm.find("TreatMissingData")->as_string(), wanted->missing);
  }
  EXPECT_EQ(tested.size(), std::size(kRecipeAlarms));
  test::record_alarm_requests(bodies);
}

}  // namespace
}  // namespace trainwarden::rules::cookbook_test
