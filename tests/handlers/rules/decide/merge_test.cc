// P4: which actions of several rules are left, and which are one.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::merge_test {
namespace {

// Rules named a, b, c … that all hold, each with a mode and its actions.
struct Asked {
  std::string_view mode;
  std::string_view actions;
};

Evaluation decide_all(const std::vector<Asked>& asked) {
  std::string rules;
  char name = 'a';
  for (const Asked& rule : asked) {
    rules += std::string(R"({"name": ")") + name++ + R"(", "mode": ")" + std::string(rule.mode) +
             R"(", "match": {"event": {"trigger": ["state"]}}, "actions": )" +
             std::string(rule.actions) + "},";
  }
  const Policy policy =
      test::policy(R"({"version": 1, "mode": "enforce", "rules": [)" + rules + "]}");
  const Sources sources(test::running());
  return decide(policy, facts_from(sources, test::kNow), Mode::kEnforce);
}

// "stop by a b; notify by b"
std::string merged(const Evaluation& evaluation, Mode mode) {
  std::string out;
  for (const Merged& one : merge(evaluation.decisions, mode)) {
    out += (out.empty() ? "" : "; ") + std::string(name(one.action.kind)) + " by";
    for (std::size_t i : one.by) out += " " + evaluation.decisions[i].rule;
  }
  return out;
}

std::string dropped(const Evaluation& evaluation) {
  std::string out;
  for (const Dropped& one : evaluation.dropped) {
    out += one.rule + " " + std::string(name(one.action)) + ": " + text(one.reason) + ";";
  }
  return out;
}

TEST(MergeP4, EqualActionsOfOneModeAreOne) {
  const Evaluation out = decide_all({{"enforce", R"(["stop", "notify"])"},
                                     {"notify", R"(["stop", "notify"])"},
                                     {"enforce", R"(["notify", "stop"])"},
                                     {"enforce", R"([{"tag": {"x": "1"}}])"},
                                     {"enforce", R"([{"tag": {"x": "2"}}])"}});
  EXPECT_EQ(merged(out, Mode::kEnforce), "stop by a c; notify by a c; tag by d; tag by e");
  EXPECT_EQ(merged(out, Mode::kNotify), "stop by b; notify by b");
  EXPECT_EQ(merged(out, Mode::kObserve), "");
  EXPECT_EQ(dropped(out), "");
}

TEST(MergeP4, AStopBeatsARestart) {
  const Evaluation out = decide_all({{"enforce", R"(["restart", "notify"])"},
                                     {"enforce", R"(["stop"])"},
                                     {"enforce", R"(["restart"])"}});
  EXPECT_EQ(merged(out, Mode::kEnforce), "notify by a; stop by b");
  EXPECT_EQ(dropped(out), "a restart: rule b stops the job;c restart: rule b stops the job;");
  EXPECT_EQ(out.decisions.size(), 2U);  // nothing is left of c
}

TEST(MergeP4, OnlyWithinAMode) {
  const Evaluation out = decide_all({{"enforce", R"(["restart"])"}, {"notify", R"(["stop"])"}});
  EXPECT_EQ(merged(out, Mode::kEnforce), "restart by a");
  EXPECT_EQ(merged(out, Mode::kNotify), "stop by b");
  EXPECT_EQ(dropped(out), "");
}

TEST(MergeP4, OneRestartIsLeft) {
  const Evaluation out = decide_all({{"enforce", R"(["restart"])"},
                                     {"enforce", R"([{"restart": {"limit": 3}}])"},
                                     {"enforce", R"([{"restart": {"spot": false}}])"}});
  EXPECT_EQ(merged(out, Mode::kEnforce), "restart by a b");
  EXPECT_EQ(dropped(out), "c restart: rule a restarts it otherwise;");
}

TEST(MergeP4, AStopOfTheSameRuleBeatsToo) {
  const Evaluation out = decide_all({{"observe", R"(["restart", "stop"])"}});
  EXPECT_EQ(merged(out, Mode::kObserve), "stop by a");
  EXPECT_EQ(dropped(out), "a restart: rule a stops the job;");
}

}  // namespace
}  // namespace trainwarden::rules::merge_test
