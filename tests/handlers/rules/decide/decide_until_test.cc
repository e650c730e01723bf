// Rules on the time in a tag (policy.md F15).
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_until_test {
namespace {

using test::stop_rule;
using test::verdict;

constexpr std::string_view kKept =
    R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}},
       "unless": {"until": {"keep-until": [{"numeric": [">", 0, "<=", 604800]}]}})";

struct Case {
  std::string_view why;
  std::string_view rule;
  std::string_view tags;  // "" unknown, "!" unavailable
  Truth verdict;
};

// kNow is 2026-07-02T13:56:40Z.
constexpr Case kCases[] = {
    {"no tag", kKept, "{}", Truth::kTrue},
    {"a second left", kKept, R"({"keep-until": "2026-07-02T13:56:41Z"})", Truth::kFalse},
    {"this second", kKept, R"({"keep-until": "2026-07-02T13:56:40Z"})", Truth::kTrue},
    {"past", kKept, R"({"keep-until": "2026-07-01"})", Truth::kTrue},
    {"seven days", kKept, R"({"keep-until": "2026-07-09T13:56:40Z"})", Truth::kFalse},
    {"a second more than the rule grants", kKept, R"({"keep-until": "2026-07-09T13:56:41Z"})",
     Truth::kTrue},
    {"for ever", kKept, R"({"keep-until": "9999-12-31"})", Truth::kTrue},
    {"a word is no time", kKept, R"({"keep-until": "tomorrow"})", Truth::kTrue},
    {"an epoch is no time", kKept, R"({"keep-until": "1783000700"})", Truth::kTrue},
    {"another case of its letters is another key", kKept, R"({"Keep-Until": "2026-07-03"})",
     Truth::kTrue},
    {"F1: unavailable tags are no absent tags", kKept, "!", Truth::kUnavailable},
    {"F6: tags are asked for", kKept, "", Truth::kUnknown},
    {"its own deadline has passed", R"("match": {"until": {"stop-at": [{"numeric": ["<=", 0]}]}})",
     R"({"stop-at": "2026-07-02T13:56:40Z"})", Truth::kTrue},
    {"nobody set a deadline", R"("match": {"until": {"stop-at": [{"numeric": ["<=", 0]}]}})", "{}",
     Truth::kFalse},
    {"an odd deadline is none, not 0",
     R"("match": {"until": {"stop-at": [{"numeric": ["<=", 0]}]}})", R"({"stop-at": "0"})",
     Truth::kFalse},
    {"exists asks for a time", R"("match": {"until": {"a": [{"exists": true}]}})",
     R"({"a": "soon"})", Truth::kFalse},
    {"and its absence for none", R"("match": {"until": {"a": [{"exists": false}]}})",
     R"({"a": "soon"})", Truth::kTrue},
    {"a dot is part of the key", R"("match": {"until": {"a.b": [{"numeric": [">", 0]}]}})",
     R"({"a.b": "2026-07-03"})", Truth::kTrue},
    {"beside the same key's text",
     R"("match": {"tags": {"a": [{"exists": true}]}, "until": {"a": [{"exists": false}]}})",
     R"({"a": "next week"})", Truth::kTrue},
};

TEST(DecideUntilF15, Verdicts) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.why));
    EXPECT_EQ(name(verdict(stop_rule(c.rule), {"", c.tags}).verdict), name(c.verdict));
  }
}

TEST(DecideUntilF15, ItNeedsTheTagsAndNothingElse) {
  EXPECT_EQ(verdict(stop_rule(kKept), {"", ""}).needs.names(), "tags");
  // A rule that is false already needs nothing.
  const JobEvent ended{Trigger::kState, "train-1", "Completed", "Completed", std::nullopt};
  EXPECT_TRUE(verdict(stop_rule(kKept), {"", "", ended}).needs.empty());
}

TEST(DecideUntilA1, AMissingTimeRestsOnTagsThatMayBeLate) {
  const auto none = verdict(stop_rule(kKept), {"", "{}"});
  EXPECT_TRUE(none.decision->rests_on_absent_tag);
  EXPECT_TRUE(none.decision->rests_on.contains(Source::kTags));
  const auto past = verdict(stop_rule(kKept), {"", R"({"keep-until": "2026-07-01"})"});
  EXPECT_FALSE(past.decision->rests_on_absent_tag);
  EXPECT_TRUE(past.decision->rests_on.contains(Source::kTags));
  const auto matched =
      verdict(stop_rule(R"("match": {"until": {"a": [{"exists": false}]}})"), {"", "{}"});
  EXPECT_TRUE(matched.decision->rests_on_absent_tag);
}

TEST(DecideUntilR1, TheReasonTellsTheSeconds) {
  const auto found =
      verdict(stop_rule(R"("match": {"until": {"stop-at": [{"numeric": ["<=", 0]}]}})"),
              {"", R"({"stop-at": "2026-07-02T13:56:30Z"})"});
  ASSERT_EQ(found.decision->because.size(), 1U);
  EXPECT_EQ(found.decision->because[0].path(), "until.stop-at");
  EXPECT_EQ(found.decision->because[0].value, "-10");
  EXPECT_EQ(found.decision->because[0].unit, "s");
}

TEST(DecideUntilP2, WhatIsNoNumberOfSecondsIsToldWhenThePolicyIsRead) {
  const auto asking = [](const std::string& element) {
    return parse_policy(stop_rule(R"("match": {"until": {"a": [)" + element + "]}}"));
  };
  EXPECT_TRUE(warnings_of(*asking(R"({"numeric": [">", 0, "<=", 604800]})")).empty());
  EXPECT_EQ(warnings_of(*asking(R"("2026-12-24")")).size(), 1U);  // never matches
  EXPECT_FALSE(asking(R"({"anything-but": "2026-12-24"})"));      // would match every job
  EXPECT_TRUE(asking(R"({"anything-but": 0})"));
  EXPECT_FALSE(parse_policy(stop_rule(R"("match": {"until": {"a": {"b": [{"exists": true}]}}})")));
  EXPECT_FALSE(parse_policy(stop_rule(R"("match": {"until": [{"exists": true}]})")));
  const auto misspelt = parse_policy(stop_rule(R"("match": {"unitl": {"a": [{"exists": true}]}})"));
  ASSERT_FALSE(misspelt);
  EXPECT_NE(misspelt.error().message.find("did you mean `until`"), std::string::npos)
      << misspelt.error().message;
}

// No event tells that a time has passed: the sweep decides on each job that runs, by the tags that
// Search tells.
TEST(NominateUntil, S1_F15_AJobWhoseTimeHasRunOutIsLookedAt) {
  const json::Document record = test::doc(
      R"({"TrainingJobName": "job-1", "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
          "Tags": [{"Key": "keep-until", "Value": "2026-07-02T13:56:40Z"}]})");
  const auto search = sources_of_search(read_training_job(record.root()));
  ASSERT_TRUE(search);
  const Policy policy = test::policy(stop_rule(kKept));
  EXPECT_FALSE(nominate(policy, *search, test::kNow - std::chrono::seconds(1)).look);
  EXPECT_TRUE(nominate(policy, *search, test::kNow).look);
  EXPECT_TRUE(nominate(policy, *search, test::kNow - std::chrono::days(8)).look);
}

}  // namespace
}  // namespace trainwarden::rules::decide_until_test
