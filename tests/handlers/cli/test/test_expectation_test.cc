// `trainwarden test`: what is expected (T2).
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/cli/test/policy_cases.h"

namespace trainwarden::cli::test_expectation_test {
namespace {

using namespace policy_cases;

TEST(TestT2, RulesAreComparedExactly) {
  EXPECT_EQ(run_expect(R"({"rules": []})", R"({"team": "vision"})").status, 0);
  EXPECT_EQ(run_expect(R"({"rules": ["required-tags"]})").status, 0);
  const Printed more = run_expect(R"({"rules": []})");
  EXPECT_EQ(more.status, 1);
  EXPECT_SAYS(more,
              "c.jsonl:1: failed: a rule `required-tags`: holds, which is not expected, because "
              "job.TrainingJobStatus = InProgress and tags.team is absent");
  const Printed less = run_expect(R"({"rules": ["required-tags"]})", R"({"team": "vision"})");
  EXPECT_EQ(less.status, 1);
  EXPECT_SAYS(less, "rule `required-tags`: expected to hold, and does not");
  EXPECT_SAYS(less, "c.jsonl: 0 of 1 cases pass, 1 fails");
}

TEST(TestT2, ActionsAreComparedExactly) {
  EXPECT_EQ(run_expect(R"({"actions": ["notify", "stop"]})").status, 0);
  EXPECT_EQ(run_expect(R"({"actions": []})", R"({"team": "vision"})").status, 0);
  const Printed less = run_expect(R"({"actions": ["stop"]})");
  EXPECT_EQ(less.status, 1);
  EXPECT_SAYS(less, "actions: expected `stop`, found `stop`, `notify`");
  EXPECT_EQ(run_expect(R"({"actions": ["stop"]})", R"({"team": "vision"})").status, 1);
}

// P4: a stop beats a restart.
TEST(TestT2, ActionsThatAreDroppedAreNotAskedFor) {
  constexpr std::string_view kBoth = R"({"version": 1, "since": "2026-11-20T00:00:00Z", "rules": [
      {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["restart"]},
      {"name": "end", "match": {"tags": {"team": [{"exists": false}]}}, "actions": ["stop"]}]})";
  EXPECT_EQ(
      run(starting("a", "{}", R"({"rules": ["again", "end"], "actions": ["stop"]})"), kBoth).status,
      0);
  const Printed printed = run(starting("a", "{}", R"({"actions": ["restart", "stop"]})"), kBoth);
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "rule `again`: restart is dropped: rule end stops the job");
  EXPECT_EQ(run(starting("a", R"({"team": "x"})", R"({"actions": ["restart"]})"), kBoth).status, 0);
}

TEST(TestT2, VerdictsOfSingleRules) {
  EXPECT_EQ(run_expect(R"({"verdicts": {"required-tags": "true", "stop-idle": "false"}})").status,
            0);
  const Printed printed = run_expect(R"({"verdicts": {"required-tags": "false"}})");
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "rule `required-tags`: expected false, found true, because ");
}

struct WrongExpectation {
  std::string_view expect;
  std::string_view says;
};

constexpr WrongExpectation kWrongExpectations[] = {
    {R"({"verdicts": ["nope"]})",
     "expect.verdicts: expected an object of at least one rule's verdict"},
    {R"({"verdicts": "true"})",
     "expect.verdicts: expected an object of at least one rule's verdict"},
    {R"({"verdicts": {}})", "expect.verdicts: expected an object of at least one rule's verdict"},
    {R"({"verdicts": null})", "expect.verdicts: expected an object of at least one rule's verdict"},
    {R"({"rules": [], "verdicts": {}})", "expect.verdicts: expected an object"},
    {R"({"verdicts": {"required-tags": "maybe"}})",
     "expect.verdicts.required-tags: expected \"true\", \"false\" or \"unavailable\", found "
     "`\"maybe\"`"},
    {R"({"verdicts": {"required-tags": true}})",
     "expected \"true\", \"false\" or \"unavailable\", found `true`"},
    {R"({"verdicts": {"required-tags": "unknown"}})",
     "expected \"true\", \"false\" or \"unavailable\""},
    {R"({"verdicts": {"required-tag": "true"}})",
     "the policy has no rule `required-tag`; did you mean `required-tags`?"},
    {R"({})", "expect: expected `rules`, `actions` or `verdicts`, found nothing"},
    {R"([])", "expect: expected what is expected (an object), found `[]`"},
    {R"(null)", "expect: expected what is expected (an object)"},
    {R"({"rule": []})", "did you mean `rules`?"},
    {R"({"rules": ["required-tag"]})",
     "the policy has no rule `required-tag`; did you mean `required-tags`?"},
    {R"({"rules": ["zzz"]})",
     "expect.rules[0]: the policy has no rule `zzz`; it has `required-tags`, "},
    {R"({"rules": "required-tags"})",
     "expect.rules: expected a list of rules, empty where none is expected"},
    {R"({"rules": null})", "expect.rules: expected a list of rules"},
    {R"({"rules": [3]})", "expect.rules[0]: expected a name, found `3`"},
    {R"({"rules": ["required-tags", "required-tags"]})", "`required-tags` is there twice"},
    {R"({"actions": ["restart"]})",
     "expect.actions[0]: the policy has no action `restart`; it has `stop`, "},
    {R"({"actions": ["stopp"]})", "the policy has no action `stopp`; did you mean `stop`?"},
    {R"({"actions": {}})", "expect.actions: expected a list of actions"},
    {R"({"rules": ["required-tags"], "verdicts": {"required-tags": "false"}})",
     "contradicts `rules`, by which `required-tags` holds"},
    {R"({"rules": [], "verdicts": {"required-tags": "true"}})",
     "contradicts `rules`, by which `required-tags` does not"},
};

TEST(TestT2, AnExpectationWithAMistakeIsNeverAPass) {
  for (const WrongExpectation& wrong : kWrongExpectations) {
    const Printed printed = run_expect(wrong.expect);
    EXPECT_EQ(printed.status, 2) << wrong.expect << printed.output;
    EXPECT_SAYS(printed, wrong.says);
  }
}

TEST(TestT2, ACaseThatExpectsNothingIsAMistake) {
  const Printed printed = run_one(R"("name": "a", )" + std::string(kStarting));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "expected the member `expect`, found none");
}

TEST(TestT2, SaysWhichRulesNoCaseTests) {
  const Printed printed = run(starting("a", "{}", R"({"rules": ["required-tags"]})"));
  EXPECT_SAYS(printed, "note: rule `required-tags`: no case in which it does not hold");
  EXPECT_SAYS(printed, "note: rule `stop-idle`: no case in which it holds");
  const Printed both = run(starting("a", "{}", R"({"rules": ["required-tags"]})") +
                           starting("b", R"({"team": "x"})", R"({"rules": []})"));
  EXPECT_EQ(both.status, 0);
  EXPECT_SILENT_ON(both, "note: rule `required-tags`");
}

}  // namespace
}  // namespace trainwarden::cli::test_expectation_test
