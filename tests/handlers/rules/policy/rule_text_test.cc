// The text of a rule: what tells whether it is still the rule that it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/rule_item.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::rule_text_test {
namespace {

constexpr std::string_view kRule =
    R"({"name":"r","match":{"job":{"TrainingJobStatus":["Failed"]},"spot":{"interruptions":[3]}},)"
    R"("unless":[{"tags":{"keep":["yes",1,true]}}],"mode":"notify",)"
    R"("actions":["notify",{"restart":{"limit":2,"spot":false}}],"message":"a \"quoted\" word"})";

// The text of the rule `r`.
std::string text_in(const std::string& policy_text) {
  const Policy policy = test::policy(policy_text);
  for (const Rule& rule : policy.rules())
    if (rule.name == "r") return rule.text;
  ADD_FAILURE() << "no rule `r` in " << policy_text;
  return {};
}

std::string text_of_rule(std::string_view rule) {
  return text_in(fmt::format(R"({{"version": 1, "rules": [{}]}})", rule));
}

TEST(RuleText, IsTheRuleWithoutBlanks) { EXPECT_EQ(text_of_rule(kRule), kRule); }

TEST(RuleText, IsTheSameHoweverTheFileIsLaidOut) {
  EXPECT_EQ(text_of_rule(R"({
      // a comment
      "name" : "r",
      "match": {
        "job": { "TrainingJobStatus": [ "Failed", ], }, /* another */
        "spot": { "interruptions": [ 3.0 ] },
      },
      "unless": [ { "tags": { "keep": [ "yes", 1e0, true ] } }, ],


      "mode": "notify",
      "actions": [ "notify", { "restart": { "limit": 2, "spot": false } } ],
      "message": "a \u0022quoted\" word",
    },)"),
            kRule);
}

TEST(RuleText, IsTheSameWhateverStandsBesideTheRule) {
  const std::string other = R"({"name":"s","match":{"tags":{"a":["b"]}},"actions":["stop"]})";
  const std::string edited = R"({"name":"s","match":{"tags":{"a":["c"]}},"actions":["notify"]})";
  const std::string mine(kRule);
  for (const std::string& rules :
       {mine + "," + other, other + "," + mine, mine + "," + edited, mine})
    EXPECT_EQ(text_in(R"({"version": 1, "mode": "enforce", "since": "2026-11-01T00:00:00Z",
                          "limits": {"stops_per_hour": 1}, "prices": {"ml.m5.large": 1},
                          "rules": [)" +
                      rules + "]}"),
              kRule);
}

TEST(RuleText, IsAnotherAfterAnyChangeOfTheRule) {
  struct {
    std::string_view from;
    std::string_view to;
  } const changes[] = {
      {R"(["Failed"])", R"(["Stopped"])"},
      {R"(["Failed"])", R"(["Failed","Stopped"])"},
      {R"("job":)", R"("tags":{"a":["b"]},"job":)"},
      {R"("keep":["yes",1,true])", R"("keep":["yes","1",true])"},
      {R"("interruptions":[3])", R"("interruptions":[4])"},
      {R"("interruptions":[3])", R"("interruptions":[{"numeric":[">",3]}])"},
      {R"("keep":)", R"("Keep":)"},
      {R"("keep":["yes",1,true])", R"("keep":["yes",1,false])"},
      {R"("unless":[{"tags":{"keep":["yes",1,true]}}],)", ""},
      {R"("mode":"notify",)", R"("mode":"enforce",)"},
      {R"("mode":"notify",)", ""},
      {R"("limit":2)", R"("limit":3)"},
      {R"("spot":false)", R"("spot":true)"},
      {R"(["notify",{)", R"([{)"},
      {R"(word)", R"(word )"},
      {R"(word)", R"(Word)"},
  };
  const std::string id = rule_item_id(kRule);
  for (const auto& change : changes) {
    std::string edited(kRule);
    const std::size_t at = edited.find(change.from);
    ASSERT_NE(at, edited.npos) << change.from;
    edited.replace(at, change.from.size(), change.to);
    const std::string text = text_of_rule(edited);
    EXPECT_NE(text, kRule) << edited;
    EXPECT_NE(rule_item_id(text), id) << edited;
  }
}

// Whatever changes whom the rule stops: its text, the prices, `since`, and the own signatures of a
// rule on failures.
TEST(RuleFingerprint, P7_ChangesWithWhatTheRuleDependsOn) {
  const auto of = [](std::string_view members, std::string_view match) {
    const Policy policy = test::policy(fmt::format(
        R"({{"version": 1, {} "rules": [{{"name": "r", "match": {}, "actions": ["stop"]}}]}})",
        members, match));
    return policy.rules()[0].fingerprint;
  };
  constexpr std::string_view kTags = R"({"tags": {"a": ["b"]}})";
  constexpr std::string_view kFailure = R"({"failure": {"kind": ["InternalServerError"]}})";
  constexpr std::string_view kSignatures =
      R"("failures": [{"text": "our own words", "label": "service", "resume": "no", "why": "w"}],)";
  const std::string plain = of("", kTags);
  EXPECT_EQ(plain.size(), 16U);
  EXPECT_NE(plain, of("", R"({"tags": {"a": ["c"]}})"));
  EXPECT_NE(plain, of(R"("prices": {"ml.m5.large": 1},)", kTags));
  EXPECT_NE(of(R"("prices": {"ml.m5.large": 1},)", kTags),
            of(R"("prices": {"ml.m5.large": 2},)", kTags));
  EXPECT_NE(plain, of(R"("since": "2026-11-01T00:00:00Z",)", kTags));
  EXPECT_EQ(plain, of(R"("limits": {"stops_per_sweep": 9}, "mode": "enforce",)", kTags));
  EXPECT_EQ(plain, of(kSignatures, kTags));
  EXPECT_NE(of("", kFailure), of(kSignatures, kFailure));
}

TEST(RuleText, TellsRenamedRulesApart) {
  std::string renamed(kRule);
  renamed.replace(renamed.find(R"("r")"), 3, R"("q")");
  const Policy policy = test::policy(R"({"version": 1, "rules": [)" + renamed + "]}");
  EXPECT_EQ(policy.rules()[0].text, renamed);
}

}  // namespace
}  // namespace trainwarden::rules::rule_text_test
