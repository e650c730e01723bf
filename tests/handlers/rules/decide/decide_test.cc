// F1, F2, F6 and P3: what a policy says about a job as far as it is known.
#include "handlers/rules/decide/decide.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_test {
namespace {

using test::kNow;
using test::kUntagged;
using test::Snapshot;
using test::stop_rule;
using test::verdict;

struct Case {
  std::string_view why;
  std::string_view rule;
  Snapshot snapshot;
  Truth verdict;
  SourceSet needs = {};
};

JobEvent ended() { return {Trigger::kState, "train-1", "Completed", "Completed", std::nullopt}; }

JobEvent swept() { return {Trigger::kSweep, "train-1", std::nullopt, std::nullopt, std::nullopt}; }

JobEvent from(const char* account, const char* region = "eu-central-1") {
  JobEvent out = test::running();
  if (*account != '\0') out.account = account;
  if (*region != '\0') out.region = region;
  return out;
}

const Case kCases[] = {
    {"the event alone makes it false: nothing is needed",
     kUntagged,
     {"", "", ended()},
     Truth::kFalse},
    {"the event allows it: tags are needed", kUntagged, {"", ""}, Truth::kUnknown, {Source::kTags}},
    {"the tag is absent", kUntagged, {"", "{}"}, Truth::kTrue},
    {"the tag is there", kUntagged, {"", R"({"model_name": "mnist"})"}, Truth::kFalse},
    {"an empty value is a value", kUntagged, {"", R"({"model_name": ""})"}, Truth::kFalse},
    {"F1: unavailable tags are not absent tags", kUntagged, {"", "!"}, Truth::kUnavailable},
    {"a sweep does not tell the status: both are needed",
     kUntagged,
     {"", "", swept()},
     Truth::kUnknown,
     {Source::kDescribe, Source::kTags}},
    {"unknown comes before unavailable",
     kUntagged,
     {"", "!", swept()},
     Truth::kUnknown,
     {Source::kDescribe}},
    {"false comes before unavailable",
     kUntagged,
     {"!", R"({"model_name": "x"})", swept()},
     Truth::kFalse},
    {"an unavailable describe leaves what the event told", kUntagged, {"!", "{}"}, Truth::kTrue},
    {"describe replaces what a late event told",
     kUntagged,
     {R"({"TrainingJobStatus": "Completed"})", "{}"},
     Truth::kFalse},
    {"also where the event said no",
     kUntagged,
     {R"({"TrainingJobStatus": "InProgress"})", "{}", ended()},
     Truth::kTrue},
    {"describe replaces the group whole",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}})",
     {R"({"TrainingJobStatus": "InProgress"})", ""},
     Truth::kFalse},
    {"the job's name is known early",
     R"("match": {"job": {"TrainingJobName": ["train-1"]}})",
     {"", ""},
     Truth::kTrue},
    {"exists: true is decided early",
     R"("match": {"job": {"SecondaryStatus": [{"exists": true}]}})",
     {"", ""},
     Truth::kTrue},
    {"exists: false is decided early",
     R"("match": {"job": {"SecondaryStatus": [{"exists": false}]}})",
     {"", ""},
     Truth::kFalse},
    {"what the event does not tell is not absent",
     R"("match": {"job": {"SecondaryStatus": [{"exists": false}]}})",
     {"", "", swept()},
     Truth::kUnknown,
     {Source::kDescribe}},
    {"the trigger",
     R"("match": {"event": {"trigger": ["sweep"]}})",
     {"", "", swept()},
     Truth::kTrue},
    {"another trigger", R"("match": {"event": {"trigger": ["sweep"]}})", {"", ""}, Truth::kFalse},
    {"the account, which the event tells",
     R"("match": {"event": {"account": ["111122223333"]}})",
     {"", "", from("111122223333")},
     Truth::kTrue},
    {"another account needs nothing",
     R"("match": {"event": {"account": ["111122223333"]}, "tags": {"a": ["b"]}})",
     {"", "", from("444455556666")},
     Truth::kFalse},
    {"the region beside the account",
     R"("match": {"event": {"account": ["111122223333"], "region": [{"prefix": "us-"}]}})",
     {"", "", from("111122223333")},
     Truth::kFalse},
    {"F1: an account that nobody told is not absent",
     R"("match": {"event": {"account": [{"exists": false}]}})",
     {"", "", from("")},
     Truth::kUnavailable},
    {"F1: nor another one",
     R"("match": {"event": {"account": [{"anything-but": "111122223333"}]}})",
     {"", "", from("")},
     Truth::kUnavailable},
    {"F1: an exemption of an account that nobody told stops nothing",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}},
        "unless": {"event": {"account": ["111122223333"]}})",
     {"", "", from("")},
     Truth::kUnavailable},
    {"what is told of the two decides",
     R"("match": {"event": {"account": ["111122223333"], "region": ["us-east-1"]}})",
     {"", "", from("")},
     Truth::kFalse},
    {"an account that nobody told hinders no rule that does not ask for it",
     R"("match": {"event": {"trigger": ["state"], "region": ["eu-central-1"]}})",
     {"", "", from("")},
     Truth::kTrue},
    {"other members need describe",
     R"("match": {"job": {"EnableManagedSpotTraining": [true]}})",
     {"", ""},
     Truth::kUnknown,
     {Source::kDescribe}},
    {"early members of a group decide before the others",
     R"("match": {"job": {"EnableManagedSpotTraining": [true], "SecondaryStatus": ["Failed"]}})",
     {"", ""},
     Truth::kFalse},
    {"one true alternative is enough",
     R"("match": [{"tags": {"a": ["b"]}}, {"job": {"SecondaryStatus": ["Training"]}}])",
     {"", ""},
     Truth::kTrue},
    {"true comes before unavailable in alternatives",
     R"("match": [{"tags": {"a": ["b"]}}, {"job": {"SecondaryStatus": ["Training"]}}])",
     {"", "!"},
     Truth::kTrue},
    {"a false alternative needs nothing",
     R"("match": [{"tags": {"a": ["b"]}, "job": {"SecondaryStatus": ["Failed"]}},
                  {"job": {"EnableManagedSpotTraining": [true]}}])",
     {"", ""},
     Truth::kUnknown,
     {Source::kDescribe}},
    {"unless exempts",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}},
                          "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", R"({"keep": "yes"})"},
     Truth::kFalse},
    {"unless that does not hold exempts not",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}},
                          "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", "{}"},
     Truth::kTrue},
    {"unless that is unknown is asked",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}},
                          "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", ""},
     Truth::kUnknown,
     {Source::kTags}},
    {"F1: unless that is unavailable stops nothing",
     R"("match": {"job": {"SecondaryStatus": ["Training"]}},
        "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", "!"},
     Truth::kUnavailable},
    {"match that is false does not ask for unless",
     R"("match": {"job": {"SecondaryStatus": ["Failed"]}},
        "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", ""},
     Truth::kFalse},
    {"match that is true is not asked about again",
     R"("match": [{"job": {"SecondaryStatus": ["Training"]}}, {"tags": {"a": ["b"]}}],
        "unless": {"job": {"EnableManagedSpotTraining": [true]}})",
     {"", ""},
     Truth::kUnknown,
     {Source::kDescribe}},
    {"match and unless are asked together",
     R"("match": {"job": {"EnableManagedSpotTraining": [true]}},
        "unless": {"tags": {"keep": [{"exists": true}]}})",
     {"", ""},
     Truth::kUnknown,
     {Source::kDescribe, Source::kTags}},
    {"F2: null is missing",
     R"("match": {"job": {"CheckpointConfig": {"S3Uri": [{"exists": false}]}}})",
     {R"({"CheckpointConfig": {"S3Uri": null}})", ""},
     Truth::kTrue},
    {"array consistency within a group",
     R"("match": {"job": {"ResourceConfig": {"InstanceGroups": {"InstanceType": ["a"], "InstanceCount": [2]}}}})",
     {R"({"ResourceConfig": {"InstanceGroups": [{"InstanceType": "a", "InstanceCount": 1},
                                                {"InstanceType": "b", "InstanceCount": 2}]}})",
      ""},
     Truth::kFalse},
    {"a dot does not split a tag's key",
     R"("match": {"tags": {"cost.center": ["x"]}})",
     {"", R"({"cost.center": "x"})"},
     Truth::kTrue},
};

TEST(DecideF6, FourValues) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.why));
    const RuleVerdict out = verdict(stop_rule(c.rule), c.snapshot);
    EXPECT_EQ(name(out.verdict), name(c.verdict));
    EXPECT_EQ(out.needs.names(), c.needs.names());
    EXPECT_EQ(out.decision.has_value(), c.verdict == Truth::kTrue);
    EXPECT_EQ(out.skipped.has_value(), c.verdict == Truth::kUnavailable);
  }
}

TEST(DecideF6, TruthTables) {
  constexpr Truth f = Truth::kFalse;
  constexpr Truth u = Truth::kUnknown;
  constexpr Truth x = Truth::kUnavailable;
  constexpr Truth t = Truth::kTrue;
  constexpr Truth kAll[] = {f, u, x, t};
  constexpr Truth kAnd[4][4] = {{f, f, f, f}, {f, u, u, u}, {f, u, x, x}, {f, u, x, t}};
  constexpr Truth kOr[4][4] = {{f, u, x, t}, {u, u, u, t}, {x, u, x, t}, {t, t, t, t}};
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      EXPECT_EQ(both(kAll[a], kAll[b]), kAnd[a][b]) << name(kAll[a]) << " and " << name(kAll[b]);
      EXPECT_EQ(either(kAll[a], kAll[b]), kOr[a][b]) << name(kAll[a]) << " or " << name(kAll[b]);
    }
  }
  EXPECT_EQ(negate(t), f);
  EXPECT_EQ(negate(f), t);
  EXPECT_EQ(negate(u), u);
  EXPECT_EQ(negate(x), x);
}

TEST(DecideF6, NeedsOfAllRulesAreAskedTogether) {
  const Policy policy = test::policy(R"({"version": 1, "rules": [
      {"name": "a", "match": {"tags": {"x": ["y"]}}, "actions": ["stop"]},
      {"name": "b", "match": {"job": {"EnableManagedSpotTraining": [true]}}, "actions": ["stop"]},
      {"name": "c", "match": {"job": {"SecondaryStatus": ["Training"]}}, "actions": ["notify"]}]})");
  const Sources sources = Snapshot{"", ""}.sources();
  const Evaluation out = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  EXPECT_EQ(out.needs.names(), "describe, tags");
  ASSERT_EQ(out.decisions.size(), 1U);
  EXPECT_EQ(out.decisions[0].rule, "c");
  EXPECT_EQ(out.decisions[0].index, 2U);
}

TEST(DecideF1, ASkippedRuleDoesNotHinderTheOthers) {
  const Policy policy = test::policy(R"({"version": 1, "rules": [
      {"name": "tags", "match": {"tags": {"x": ["y"]}}, "actions": ["stop"]},
      {"name": "status", "match": {"job": {"SecondaryStatus": ["Training"]}}, "actions": ["stop"]}]})");
  const Sources sources = Snapshot{"", "!"}.sources();
  const Evaluation out = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  ASSERT_EQ(out.skipped.size(), 1U);
  EXPECT_EQ(out.skipped[0].rule, "tags");
  EXPECT_EQ(out.skipped[0].sources.names(), "tags");
  EXPECT_EQ(text(out.skipped[0]), "tags: not allowed");
  ASSERT_EQ(out.decisions.size(), 1U);
  EXPECT_EQ(out.decisions[0].rule, "status");
  EXPECT_TRUE(out.needs.empty());
}

// The same event would tell as little.
TEST(DecideF1, AnEventThatDoesNotTellItsAccountDoesNotComeAgainForThat) {
  const RuleVerdict out = verdict(stop_rule(R"("match": {"event": {"account": ["111122223333"]}})"),
                                  {"", "", from("", "")});
  ASSERT_TRUE(out.skipped);
  EXPECT_EQ(text(*out.skipped), "event: the event does not tell its account and region");
  EXPECT_FALSE(out.skipped->comes_again);
}

TEST(DecideP3, TheWeakestModeCounts) {
  struct {
    std::string_view policy, rule;
    Mode ceiling, effective;
  } const cases[] = {
      {"enforce", "enforce", Mode::kEnforce, Mode::kEnforce},
      {"enforce", "", Mode::kEnforce, Mode::kEnforce},
      {"notify", "", Mode::kEnforce, Mode::kNotify},
      {"notify", "enforce", Mode::kEnforce, Mode::kNotify},
      {"enforce", "notify", Mode::kEnforce, Mode::kNotify},
      {"enforce", "enforce", Mode::kObserve, Mode::kObserve},
      {"observe", "enforce", Mode::kEnforce, Mode::kObserve},
      {"enforce", "observe", Mode::kNotify, Mode::kObserve},
  };
  for (const auto& c : cases) {
    std::string text = R"({"version": 1, "mode": ")" + std::string(c.policy) +
                       R"(", "rules": [{"name": "r", "match": {"event": {"trigger": ["state"]}}, )";
    if (!c.rule.empty()) text += R"("mode": ")" + std::string(c.rule) + R"(", )";
    text += R"("actions": ["stop"]}]})";
    const Sources sources = Snapshot{"", ""}.sources();
    const Evaluation out = decide(test::policy(text), facts_from(sources, kNow), c.ceiling);
    ASSERT_EQ(out.decisions.size(), 1U);
    EXPECT_EQ(out.decisions[0].mode, c.effective) << text << " below " << name(c.ceiling);
  }
}

// Whatever AWS may answer, deciding is total.
TEST(DecideF6, OddAnswersAreDecided) {
  for (std::string_view odd : {R"({"TrainingJobStatus": {"a": 1}})", "{}",
                               R"({"TrainingJobStatus": [[["InProgress"]]]})"}) {
    SCOPED_TRACE(std::string(odd));
    const RuleVerdict out = verdict(stop_rule(kUntagged), {odd, odd});
    EXPECT_TRUE(out.verdict == Truth::kTrue || out.verdict == Truth::kFalse);
  }
}

TEST(DecideF1, AnAnswerThatIsNoObjectIsUnavailableNotEmpty) {
  for (std::string_view odd : {"[]", "7", "null", R"("x")"}) {
    SCOPED_TRACE(std::string(odd));
    const RuleVerdict out = verdict(stop_rule(kUntagged), {"", odd});
    EXPECT_EQ(out.verdict, Truth::kUnavailable);
    ASSERT_TRUE(out.skipped);
    EXPECT_EQ(text(*out.skipped), "tags: expected an object, found `" + std::string(odd) + "`");
  }
}

}  // namespace
}  // namespace trainwarden::rules::decide_test
