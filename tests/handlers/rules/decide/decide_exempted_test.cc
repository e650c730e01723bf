// The policy's own `unless` (issue 41, 3; policy.md P4).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "handlers/rules/decide/history_needs.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_exempted_test {
namespace {

// Two rules that hold for each running job, one with an exemption of its own, and one that does not
// match.
std::string exempting(std::string_view unless, std::string_view actions = R"("stop", "notify")") {
  return fmt::format(
      R"({{"version": 1, "mode": "enforce", "unless": {}, "rules": [
          {{"name": "a", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}}}, "actions": [{}]}},
          {{"name": "b", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}}}, "unless": {{"tags": {{"own": ["yes"]}}}}, "actions": ["notify"]}},
          {{"name": "c", "match": {{"job": {{"TrainingJobStatus": ["Failed"]}}}}, "actions": ["notify"]}}]}})",
      unless, actions);
}

constexpr std::string_view kByName = R"({"job": {"TrainingJobName": [{"prefix": "train-"}]}})";
constexpr std::string_view kByTag = R"({"tags": {"stage": ["production"]}})";
constexpr std::string_view kDescribed =
    R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training"})";

Evaluation decided(const std::string& policy, const test::Snapshot& snapshot) {
  const Sources sources = snapshot.sources();
  return decide(test::policy(policy), facts_from(sources, test::kNow), Mode::kEnforce);
}

using Names = std::vector<std::string>;

TEST(DecideP4, WhatThePolicyExemptsNoRuleTouches) {
  const Evaluation out = decided(exempting(kByTag), {kDescribed, R"({"stage": "production"})"});
  EXPECT_TRUE(out.decisions.empty());
  EXPECT_TRUE(out.needs.empty());
  EXPECT_EQ(out.exempted, (Names{"a", "b"}));
  ASSERT_EQ(out.exempted_because.size(), 1U);
  EXPECT_EQ(out.exempted_because[0].path(), "tags.stage");
  EXPECT_EQ(out.exempted_because[0].value, "production");
}

TEST(DecideP4, OthersAreDecidedAsWithoutIt) {
  const Evaluation out = decided(exempting(kByTag), {kDescribed, R"({"own": "yes"})"});
  ASSERT_EQ(out.decisions.size(), 1U);
  EXPECT_EQ(out.decisions[0].rule, "a");
  EXPECT_TRUE(out.exempted.empty());
  // The tags must be read again before the stop, and an absent one may be late (A1).
  EXPECT_TRUE(out.decisions[0].rests_on.contains(Source::kTags));
  EXPECT_TRUE(out.decisions[0].rests_on_absent_tag);
}

// A rule that exempts the job itself is not said to be exempted by the policy.
TEST(DecideP4, TheRulesOwnExemptionIsItsOwn) {
  const Evaluation out =
      decided(exempting(kByTag), {kDescribed, R"({"stage": "production", "own": "yes"})"});
  EXPECT_EQ(out.exempted, Names{"a"});
}

TEST(DecideP4, WhatTheEventAloneTellsCostsNoCall) {
  const Evaluation out = decided(exempting(kByName), {"", ""});
  EXPECT_TRUE(out.needs.empty());
  EXPECT_EQ(out.exempted, (Names{"a", "b"}));
  // Also where the rule itself could not be decided by it.
  const std::string tagged = fmt::format(
      R"({{"version": 1, "unless": {}, "rules": [{{"name": "r", "match": {{"tags": {{"team": [{{"exists": false}}]}}}}, "actions": ["stop"]}}]}})",
      kByName);
  EXPECT_TRUE(decided(tagged, {"", ""}).needs.empty());
}

TEST(DecideP4, WhatIsUnknownIsAskedForAndWhatIsUnavailableSkips) {
  EXPECT_TRUE(decided(exempting(kByTag), {kDescribed, ""}).needs.contains(Source::kTags));
  const Evaluation out = decided(exempting(kByTag), {kDescribed, "!"});
  EXPECT_TRUE(out.decisions.empty());
  ASSERT_EQ(out.skipped.size(), 2U);
  EXPECT_TRUE(out.skipped[0].sources.contains(Source::kTags));
}

TEST(DecideP4, ItCoversEveryAction) {
  for (const std::string_view action :
       {R"("stop")", R"("notify")", R"({"restart": {"spot": false}})", R"({"tag": {"a": "b"}})",
        R"("release")", R"({"stop": {"grace_seconds": 900}})"}) {
    EXPECT_TRUE(decided(exempting(kByName, action), {kDescribed, "{}"}).decisions.empty())
        << action;
    EXPECT_FALSE(decided(exempting(kByTag, action), {kDescribed, "{}"}).decisions.empty())
        << action;
  }
}

TEST(DecideP4, ASweepDoesNotLookAtExemptJobs) {
  const json::Document found = test::doc(
      R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "CreationTime": 1783000000, "Tags": [{"Key": "stage", "Value": "production"}]})");
  const auto search = sources_of_search(read_training_job(found.root()));
  ASSERT_TRUE(search);
  EXPECT_FALSE(nominate(test::policy(exempting(kByTag)), *search, test::kNow).look);
  EXPECT_TRUE(
      nominate(test::policy(exempting(R"({"tags": {"stage": ["other"]}})")), *search, test::kNow)
          .look);
}

TEST(DecideP4, AnExportKeepsWhatItNames) {
  const HistoryNeeds needs = history_needs(
      test::policy(exempting(R"({"job": {"Environment": {"STAGE": ["production"]}}})")));
  EXPECT_TRUE(needs.names("Environment", "STAGE"));
}

TEST(PolicyP4, ItsEditIsAnEditOfEveryRule) {
  const Policy one = test::policy(exempting(kByName));
  const Policy other = test::policy(exempting(kByTag));
  EXPECT_NE(one.rules()[0].text, other.rules()[0].text);
  EXPECT_EQ(one.rules()[0].text, test::policy(exempting(kByName)).rules()[0].text);
}

TEST(PolicyP4, MistakesInItAreReportedAtItsPlace) {
  const auto errors = check_policy(exempting(R"({"job": {"TrainingJobNam": ["x"]}})"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].pointer, "/unless/job/TrainingJobNam");
}

TEST(PolicyP4, AnAnnouncedStopIsNotExemptedForSweepsAlone) {
  EXPECT_FALSE(check_policy(exempting(R"({"event": {"trigger": ["sweep"]}})",
                                      R"({"stop": {"grace_seconds": 900}})"))
                   .empty());
  EXPECT_TRUE(check_policy(exempting(R"({"event": {"trigger": ["sweep"]}})")).empty());
}

TEST(PolicyP4, ARuleThatItAlwaysExemptsNeverHolds) {
  const std::string text =
      R"({"version": 1, "unless": {"tags": {"a": ["1"]}}, "rules": [{"name": "r", "match": {"tags": {"a": ["1"]}}, "actions": ["notify"]}]})";
  EXPECT_EQ(contradictions(test::policy(text)).size(), 1U);
}

}  // namespace
}  // namespace trainwarden::rules::decide_exempted_test
