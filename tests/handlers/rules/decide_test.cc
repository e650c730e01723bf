// F1, F2, F6, P3, R1 and A1's part of deciding: what a policy says about a job as far as it is
// known.
#include "handlers/rules/decide.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules {
namespace {

using test::doc;
using test::kNow;
using test::stop_rule;

// One rule over one snapshot; "" leaves a source unknown, "!" makes it unavailable.
struct Snapshot {
  std::string_view describe;
  std::string_view tags;
  JobEvent event = test::running();

  Sources sources() const {
    Sources out(event);
    put(out, Source::kDescribe, describe);
    put(out, Source::kTags, tags);
    return out;
  }

 private:
  static void put(Sources& out, Source source, std::string_view text) {
    if (text == "!") {
      out.set_unavailable(source, {ErrorCode::kAccessDenied, "not allowed"});
    } else if (!text.empty()) {
      out.set(source, doc(text));
    }
  }
};

RuleVerdict verdict(std::string_view policy, const Snapshot& snapshot) {
  const Sources sources = snapshot.sources();
  return evaluate_rule(test::policy(policy), 0, facts_from(sources, kNow), Mode::kEnforce);
}

constexpr std::string_view kUntagged =
    R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"model_name": [{"exists": false}]}})";

struct Case {
  std::string_view why;
  std::string_view rule;
  Snapshot snapshot;
  Truth verdict;
  SourceSet needs = {};
};

JobEvent ended() { return {Trigger::kState, "train-1", "Completed", "Completed", std::nullopt}; }

JobEvent swept() { return {Trigger::kSweep, "train-1", std::nullopt, std::nullopt, std::nullopt}; }

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
  EXPECT_EQ(out.skipped[0].error, "tags: not allowed");
  ASSERT_EQ(out.decisions.size(), 1U);
  EXPECT_EQ(out.decisions[0].rule, "status");
  EXPECT_TRUE(out.needs.empty());
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

std::vector<std::string> reasons(const Decision& decision) {
  std::vector<std::string> out;
  for (const Because& b : decision.because) {
    out.push_back(b.path + " = " + b.value + (b.absent ? " (absent)" : ""));
  }
  return out;
}

TEST(DecideR1, BecauseNamesPathsAndValues) {
  const RuleVerdict out = verdict(stop_rule(R"("message": "why", "match": {
        "event": {"trigger": ["state"]},
        "job": {"ResourceConfig": {"InstanceCount": [4, 8], "InstanceType": [{"exists": true}]},
                "EnableManagedSpotTraining": [false]},
        "tags": {"model_name": [{"exists": false}], "team": ["vision"]}})"),
                                  {R"({"ResourceConfig": {"InstanceType": "ml.p5.48xlarge",
                                       "InstanceCount": 8}, "EnableManagedSpotTraining": false})",
                                   R"({"team": "vision"})"});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(out.decision->message, "why");
  EXPECT_EQ(
      reasons(*out.decision),
      (std::vector<std::string>{"event.trigger = state", "job.EnableManagedSpotTraining = false",
                                "job.ResourceConfig.InstanceCount = 8",
                                "job.ResourceConfig.InstanceType = ml.p5.48xlarge",
                                "tags.model_name = absent (absent)", "tags.team = vision"}));
}

TEST(DecideR1, BecauseTellsTheAlternativeThatHolds) {
  const RuleVerdict out =
      verdict(stop_rule(R"("match": [{"tags": {"a": ["1"]}}, {"tags": {"b": ["2"]}}])"),
              {"", R"({"b": "2"})"});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(reasons(*out.decision), std::vector<std::string>{"tags.b = 2"});
}

TEST(DecideR1, HyperParametersAndEnvironmentShowOnlyTheirPaths) {
  const RuleVerdict out = verdict(stop_rule(R"("match": {"job": {
        "HyperParameters": {"token": ["s3cret"]}, "Environment": {"KEY": [{"exists": true}]}}})"),
                                  {R"({"HyperParameters": {"token": "s3cret"},
                                       "Environment": {"KEY": "s3cret"}})",
                                   ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(reasons(*out.decision),
            (std::vector<std::string>{"job.Environment.KEY = ", "job.HyperParameters.token = "}));
}

TEST(DecideR1, LongValuesAreCutBetweenCharacters) {
  std::string tags = R"({"a": ")";
  for (int i = 0; i < 100; ++i) tags += "日";
  tags += R"("})";
  const RuleVerdict out =
      verdict(stop_rule(R"("match": {"tags": {"a": [{"exists": true}]}})"), {"", tags});
  ASSERT_TRUE(out.decision);
  const std::string& value = out.decision->because[0].value;
  EXPECT_LT(value.size(), 80U);
  EXPECT_TRUE(value.ends_with("日…")) << value;
}

struct Rests {
  std::string_view why;
  std::string_view rule;
  std::string_view describe;
  std::string_view tags;
  std::string_view on;
  bool absent_tag;
};

constexpr Rests kRests[] = {
    {"the status comes from Describe in the end", kUntagged, "", "{}", "describe, tags", true},
    {"a tag that is there", R"("match": {"tags": {"a": ["b"]}})", "", R"({"a": "b"})", "tags",
     false},
    {"the value of absence or a value", R"("match": {"tags": {"a": ["b", {"exists": false}]}})", "",
     R"({"a": "b"})", "tags", false},
    {"the absence of absence or a value", R"("match": {"tags": {"a": ["b", {"exists": false}]}})",
     "", "{}", "tags", true},
    {"an absent member of the job is no tag",
     R"("match": {"job": {"CheckpointConfig": {"S3Uri": [{"exists": false}]}}})", "{}", "",
     "describe", false},
    {"only the alternative that holds",
     R"("match": [{"tags": {"a": ["b"]}}, {"event": {"trigger": ["state"]}}])", "", "{}", "event",
     false},
    {"an exemption whose tag is absent",
     R"("match": {"event": {"trigger": ["state"]}}, "unless": {"tags": {"keep": ["yes"]}})", "",
     "{}", "event, tags", true},
    {"an exemption whose tag says otherwise",
     R"("match": {"event": {"trigger": ["state"]}}, "unless": {"tags": {"keep": ["yes"]}})", "",
     R"({"keep": "no"})", "event, tags", false},
    {"an exemption that fails by itself rests on no tag",
     R"("match": {"event": {"trigger": ["state"]}},
        "unless": {"tags": {"keep": ["yes"]}, "job": {"TrainingJobName": ["other"]}})",
     "", "{}", "event, describe", false},
    {"each alternative of an exemption must fail",
     R"("match": {"event": {"trigger": ["state"]}},
        "unless": [{"job": {"TrainingJobName": ["other"]}}, {"tags": {"keep": ["yes"]}}])",
     "", "{}", "event, describe, tags", true},
};

TEST(DecideA1, RestsOnTellsWhatToLookAtAgain) {
  for (const Rests& c : kRests) {
    SCOPED_TRACE(std::string(c.why));
    const RuleVerdict out = verdict(stop_rule(c.rule), {c.describe, c.tags});
    ASSERT_TRUE(out.decision);
    EXPECT_EQ(out.decision->rests_on.names(), c.on);
    EXPECT_EQ(out.decision->rests_on_absent_tag, c.absent_tag);
  }
}

TEST(DecideA1, ASecondLookDecidesAgain) {
  const Policy policy = test::policy(stop_rule(kUntagged));
  Sources sources = Snapshot{"", "{}"}.sources();
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kTrue);
  sources.forget(Source::kTags);
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kUnknown);
  sources.set(Source::kTags, doc(R"({"model_name": "late"})"));
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kFalse);
}

// 1783000000 is 2026-07-02T13:46:40Z.
std::string since_policy(std::string_view since, std::string_view actions) {
  return R"({"version": 1, "mode": "enforce", "since": ")" + std::string(since) +
         R"(", "rules": [{"name": "r", "match": {"event": {"trigger": ["state"]}}, "actions": )" +
         std::string(actions) + "}]}";
}

TEST(DecideSince, AStopNeedsDescribe) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T00:00:00Z", R"(["stop"])"), {"", ""});
  EXPECT_EQ(out.verdict, Truth::kUnknown);
  EXPECT_EQ(out.needs.names(), "describe");
}

TEST(DecideSince, ANoticeDoesNot) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T00:00:00Z", R"(["notify"])"), {"", ""});
  EXPECT_EQ(out.verdict, Truth::kTrue);
}

TEST(DecideSince, YoungerJobsAreStopped) {
  for (std::string_view time : {"1783000000", "1783000000.25", "1783000000000", "\"1783000000000\"",
                                "\"2026-07-02T13:46:40Z\""}) {
    SCOPED_TRACE(std::string(time));
    const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:40Z", R"(["stop"])"),
                                    {R"({"CreationTime": )" + std::string(time) + "}", ""});
    ASSERT_TRUE(out.decision);
    EXPECT_EQ(test::kinds(out.decision->actions), std::vector{ActionKind::kStop});
    EXPECT_EQ(out.decision->rests_on.names(), "event, describe");
    EXPECT_TRUE(out.dropped.empty());
  }
}

TEST(DecideSince, OlderJobsAreNotStoppedButTold) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:41Z", R"(["stop", "notify"])"),
                                  {R"({"CreationTime": 1783000000})", ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(test::kinds(out.decision->actions), std::vector{ActionKind::kNotify});
  ASSERT_EQ(out.dropped.size(), 1U);
  EXPECT_EQ(out.dropped[0].rule, "r");
  EXPECT_EQ(out.dropped[0].action, ActionKind::kStop);
  EXPECT_EQ(out.dropped[0].reason,
            "the job was created 2026-07-02T13:46:40Z, before the policy's `since` "
            "2026-07-02T13:46:41Z");
}

TEST(DecideSince, WithoutAnActionLeftThereIsNoDecision) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:41Z", R"(["stop"])"),
                                  {R"({"CreationTime": 1783000000})", ""});
  EXPECT_EQ(out.verdict, Truth::kTrue);
  EXPECT_FALSE(out.decision);
  EXPECT_EQ(out.dropped.size(), 1U);
}

TEST(DecideSince, AnUnknownCreationTimeStopsNothing) {
  for (std::string_view describe :
       {"!", "{}", R"({"CreationTime": null})", R"({"CreationTime": "soon"})"}) {
    SCOPED_TRACE(std::string(describe));
    const RuleVerdict out =
        verdict(since_policy("2026-07-02T00:00:00Z", R"(["stop"])"), {describe, ""});
    EXPECT_EQ(out.verdict, Truth::kUnavailable);
    ASSERT_TRUE(out.skipped);
    EXPECT_EQ(out.skipped->sources.names(), "describe");
    EXPECT_FALSE(out.skipped->error.empty());
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
    EXPECT_EQ(out.skipped->error, "tags: expected an object, found `" + std::string(odd) + "`");
  }
}

}  // namespace
}  // namespace trainwarden::rules
