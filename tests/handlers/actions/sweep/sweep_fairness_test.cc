// Nobody keeps the sweep from another's job, or from the dearest one (policy.md P7, issue 39.7).
#include "handlers/rules/state/item_id.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_fairness_test {
namespace {

constexpr const char* kAtMostADay = R"(
  {"name": "at-most-a-day", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                      "runtime": {"training_seconds": [{"numeric": [">", 86400]}]}},
   "actions": ["stop"]})";

std::string role(const std::string& name) {
  return fmt::format(R"(,"RoleArn":"arn:aws:iam::111122223333:role/{}")", name);
}

class SweepFairness : public SweepTest {
 protected:
  static rules::Policy limits(const std::string& rules, const std::string& limits,
                              const std::string& members = "") {
    return policy(rules, "enforce", "\"limits\":{" + limits + "}," + members);
  }
  static rules::Policy prices(const std::string& prices) {
    return limits(kTeam, R"("stops_per_sweep":2)", "\"prices\":{" + prices + "},");
  }
  void place(const std::string& job, const std::string& type, const std::string& of = "r") {
    aws_.place({.name = job, .type = type, .more = role(of)});
  }
  // Cheap jobs without the tag that they need.
  void place_violators(int jobs, const std::string& of = "r", const std::string& prefix = "cheap") {
    for (int i = 0; i < jobs; ++i) place(fmt::format("{}-{}", prefix, i), "ml.g5.xlarge", of);
  }
  // The policy has been in force for a day.
  void enforce_for_a_day(const rules::Policy& with) {
    run(with);
    aws_.pass(hours(24));
  }
  // In the order in which they were asked to stop.
  Names stopped() const {
    Names out;
    for (const testing::EventTold& event : aws_.events)
      if (event.status == "Stopping") out.push_back(event.job);
    return out;
  }
};

TEST_F(SweepFairness, P7_Issue39_7_ARuleOverTheLimitStopsItsDearestWhenItIsADayOld) {
  const rules::Policy two = limited(kTeam, 2);
  enforce_for_a_day(two);
  place_violators(4);
  place("dear", "ml.p4d.24xlarge");
  place("dearest", "ml.p5.48xlarge");
  const SweepReport report = run(two);
  EXPECT_EQ(stopped(), (Names{"dearest", "dear"}));
  EXPECT_EQ(report.held_back, 4U);
  EXPECT_TRUE(report.failure());
  run(two);
  EXPECT_EQ(stopping(), 4);
}

TEST_F(SweepFairness, P7_Issue39_7_AYoungerOneStopsNone) {
  const rules::Policy two = limited(kTeam, 2);
  run(two);
  aws_.pass(hours(24) - seconds(1));
  place_violators(4);
  EXPECT_EQ(run(two).held_back, 4U);
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(records_.size(), 4U);
  for (const Record& record : records_) EXPECT_TRUE(because(record, Why::kStopsPerSweep));
}

class SweepAfterAnEdit : public SweepFairness {
 protected:
  void begins_anew(const rules::Policy& edited) {
    enforce_for_a_day(limited(kTeam, 2));
    place_violators(3);
    EXPECT_EQ(run(edited).held_back, 3U);
    // Nor is it old again when it is put back.
    EXPECT_EQ(run(limited(kTeam, 2)).held_back, 3U);
    EXPECT_EQ(stopping(), 0);
    aws_.pass(hours(24));
    EXPECT_EQ(run(limited(kTeam, 2)).held_back, 1U);
    EXPECT_EQ(stopping(), 2);
  }
};

TEST_F(SweepAfterAnEdit, P7_Issue39_7_OfTheText) {
  std::string text(kTeam);
  text.replace(text.find("\"team\""), 6, "\"Team\"");
  begins_anew(limited(text, 2));
}

TEST_F(SweepAfterAnEdit, P7_Issue39_7_OfUnless) {
  std::string text(kTeam);
  text.insert(text.rfind("\"actions\""), R"("unless": {"tags": {"spare": ["yes"]}}, )");
  begins_anew(limited(text, 2));
}

TEST_F(SweepAfterAnEdit, P7_Issue39_7_OfThePrices) { begins_anew(prices(R"("ml.g5.xlarge": 2)")); }

// Blanks, comments and other rules are no part of it.
TEST_F(SweepAfterAnEdit, P7_Issue39_7_AnEditOfAnotherRuleLeavesItOld) {
  enforce_for_a_day(limited(kTeam, 2));
  place_violators(3);
  EXPECT_EQ(run(limited(std::string(kAtMostADay) + ",\n" + kTeam, 2)).held_back, 1U);
  EXPECT_EQ(stopping(), 2);
}

TEST_F(SweepFairness, P7_Issue39_7_WhatWasOnlyObservedMeanwhileIsYoung) {
  for (const rules::Mode meanwhile : {rules::Mode::kObserve, rules::Mode::kNotify}) {
    enforce_for_a_day(limited(kTeam, 2));
    ceiling_ = meanwhile;
    for (int sweep = 0; sweep < 8; ++sweep) {
      run(limited(kTeam, 2));
      aws_.pass(hours(6));
    }
    ceiling_ = rules::Mode::kEnforce;
    place_violators(3);
    EXPECT_EQ(run(limited(kTeam, 2)).held_back, 3U);
    EXPECT_EQ(stopping(), 0);
  }
}

TEST_F(SweepFairness, P7_Issue39_7_TheViolatorsOfOneRuleHoldBackNoneOfAnother) {
  const rules::Policy both = limited(std::string(kTeam) + "," + kAtMostADay, 5);
  place_violators(6);
  aws_.place({.name = "long",
              .type = "ml.g5.xlarge",
              .age = hours(40),
              .since = hours(29),
              .tags = kOrderly,
              .more = R"(,"TrainingStartTime":1782890000)"});
  const SweepReport report = run(both);
  EXPECT_EQ(stopped(), Names{"long"});
  EXPECT_EQ(report.held_back, 6U);
}

// Of a job that breaks both, the rule that is not over the limit decides.
TEST_F(SweepFairness, P7_Issue39_7_AJobIsStoppedByAnyRuleThatMay) {
  constexpr const char* kNoP5s = R"(
    {"name": "no-p5", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                "resources": {"instance_types": ["ml.p5.48xlarge"]}},
     "actions": ["stop"], "message": "No p5."})";
  place_violators(6);
  place("p5", "ml.p5.48xlarge");
  const SweepReport report = run(limited(std::string(kTeam) + "," + kNoP5s, 5));
  EXPECT_EQ(stopped(), Names{"p5"});
  EXPECT_EQ(aws_.tag("p5", "trainwarden:rule"), "no-p5");
  EXPECT_EQ(report.held_back, 6U);
}

TEST_F(SweepFairness, P7_Issue39_7_AllRulesTogetherStopThreeTimesTheLimit) {
  std::string rules;
  for (int rule = 0; rule < 5; ++rule) {
    rules += fmt::format(
        R"({}{{"name": "rule-{}", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}},
               "tags": {{"of": ["{}"]}}}}, "actions": ["stop"]}})",
        rule == 0 ? "" : ",", rule, rule);
    for (int i = 0; i < 2; ++i)
      aws_.place({.name = fmt::format("job-{}-{}", rule, i),
                  .type = rule < 2 ? "ml.g5.xlarge" : "ml.p4d.24xlarge",
                  .tags = {{"of", std::to_string(rule)}}});
  }
  const SweepReport report = run(limited(rules, 2));
  EXPECT_EQ(stopping(), 6);
  EXPECT_EQ(report.held_back, 4U);
  for (int rule = 0; rule < 5; ++rule)
    EXPECT_EQ(aws_.status(fmt::format("job-{}-0", rule)), rule < 2 ? "InProgress" : "Stopping");
}

TEST_F(SweepFairness, P7_Issue39_7_ALimitOfNoneStopsNone) {
  enforce_for_a_day(limited(kTeam, 0));
  place_violators(3);
  EXPECT_EQ(run(limited(kTeam, 0)).held_back, 3U);
  EXPECT_EQ(stopping(), 0);
}

std::string team_with_grace(const char* message) {
  return fmt::format(
      R"({{"name": "required-tags",
           "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}, "tags": {{"team": [{{"exists": false}}]}}}},
           "actions": [{{"stop": {{"grace_seconds": 900}}}}, "notify"], "message": "{}"}})",
      message);
}

TEST_F(SweepFairness, P7_Issue39_7_AnAnnouncedStopIsNotCountedAgain) {
  const rules::Policy announces = limited(team_with_grace("Tag it."), 2);
  place_violators(3);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(kind(handle(announces, event(fmt::format("cheap-{}", i)))), Kind::kWarned);
  aws_.pass(minutes(15));
  place_violators(3, "r", "new");
  const SweepReport report = run(announces);
  EXPECT_EQ(stopped(), (Names{"cheap-0", "cheap-1", "cheap-2"}));
  EXPECT_EQ(report.held_back, 3U) << "those that are to be announced";
}

TEST_F(SweepFairness, P7_Issue39_7_OneAnnouncedUnderAnotherTextCounts) {
  place_violators(3);
  for (int i = 0; i < 3; ++i)
    handle(limited(team_with_grace("Tag it."), 2), event(fmt::format("cheap-{}", i)));
  aws_.pass(minutes(15));
  EXPECT_EQ(run(limited(team_with_grace("Tag it now."), 2)).held_back, 3U);
  EXPECT_EQ(stopping(), 0);
}

TEST_F(SweepFairness, P7_Issue39_7_HalfOfThePermitsGoToTheDearestAndHalfInTurn) {
  for (int i = 0; i < 10; ++i) place(fmt::format("dear-{}", i), "ml.p5.48xlarge", "rich");
  place_violators(2, "poor");
  place_violators(1, "other", "one");
  const rules::Policy four = limits(kTeam, R"("stops_per_hour":4,"stops_per_sweep":100)");
  run(four);
  EXPECT_EQ(stopped(), (Names{"dear-0", "cheap-0", "dear-1", "one-0"}));
  // Within the hour it is over, for a sweep, too.
  aws_.pass(minutes(30));
  run(four);
  EXPECT_EQ(stopping(), 4);
}

TEST_F(SweepFairness, P7_Issue39_7_EventsOfOneRoleLeaveHalfToTheDearest) {
  const rules::Policy four = limits(kTeam, R"("stops_per_hour":4)");
  place_violators(6, "many");
  for (int i = 0; i < 6; ++i) handle(four, event(fmt::format("cheap-{}", i)));
  EXPECT_EQ(stopping(), 2);
  place("dear", "ml.p5.48xlarge", "other");
  run(four);
  EXPECT_EQ(stopping(), 4);
  EXPECT_EQ(stopped()[2], "dear");
}

// Somebody protects dear jobs by a deny. They take neither the rule's limit nor others' permits.
TEST_F(SweepFairness, A1_Issue39_5_JobsThatMayNotBeStoppedKeepNobodyElse) {
  const rules::Policy two = limits(kTeam, R"("stops_per_sweep":2,"stops_per_hour":20)");
  enforce_for_a_day(two);
  for (int i = 0; i < 4; ++i) place(fmt::format("protected-{}", i), "ml.p5.48xlarge", "their");
  place_violators(2);
  aws_.meanwhile = [this](int) {
    const http::Request& request = aws_.requests.back();
    if (request.body.find("\"protected-") == request.body.npos) return;
    for (const http::Header& header : request.headers)
      if (header.value == "SageMaker.StopTrainingJob") aws_.refuse("StopTrainingJob", kDenied);
  };
  for (int sweep = 0; sweep < 3; ++sweep) {
    run(two);
    aws_.pass(minutes(15));
  }
  EXPECT_EQ(stopped(), (Names{"cheap-0", "cheap-1"}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(aws_.status(fmt::format("protected-{}", i)), "InProgress");
}

class SweepOfManyCopies : public SweepFairness {
 protected:
  static constexpr const char* kAgain = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {"limit": 3}}]})";
};

// A sweep has no time to look at all of them.
TEST_F(SweepOfManyCopies, P7_Issue39_7_FourHundredCopiesOfOneRoleKeepNoOtherRoleWaiting) {
  const auto with = [](int restarts) {
    return limits(kAgain, fmt::format(R"("restarts_per_hour":{})", restarts));
  };
  run(with(0));
  aws_.pass(minutes(1));
  for (int i = 0; i < 401; ++i) {
    const std::string job = i < 400 ? fmt::format("a-{}", i) : "quiet";
    place_ended(job, "Failed", seconds(0), role(i < 400 ? "loud" : "quiet"));
    request_ = job;
    handle(with(0), event(job));
  }
  aws_.slow("*", milliseconds(600), 1'000'000);
  for (const double random : {0.0, 0.3, 0.6, 0.9}) {
    if (random == 0.0) aws_.pass(minutes(15));
    request_ = fmt::format("sweep-{}", random);
    const SweepReport report = run(with(4), random);
    EXPECT_TRUE(report.incomplete || random != 0.0);
    EXPECT_FALSE(copied().empty());
    EXPECT_TRUE(std::ranges::count(copied(), "quiet") == 1) << random;
  }
}

class PoisonedItems : public SweepFairness {
 protected:
  void poison(const std::string& id) {
    ASSERT_TRUE(aws_.call(
        "PutItem",
        fmt::format(R"({{"TableName":"trainwarden-state","Item":{{"id":{{"S":"{}"}},"v":{{"N":"1"}},
            "request":{{"S":"r"}},"form":{{"N":"7"}},"expires":{{"N":"1793000000"}},
            "due":{{"S":"1"}},"since":{{"N":"1783000000"}}}},
            "ConditionExpression":"attribute_not_exists(id) OR v = :v",
            "ExpressionAttributeValues":{{":v":{{"N":"0"}}}}}})",
                    id)));
  }
};

TEST_F(PoisonedItems, P8_Issue39_8_CountAsStateUnavailable) {
  constexpr const char* kAgain = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {"limit": 3}}]})";
  const rules::Policy with = policy(kAgain);
  EXPECT_FALSE(run(policy(kTeam)).state_unavailable);
  poison("turn/job-1");
  EXPECT_TRUE(run(with).state_unavailable) << "turn/";
}

TEST_F(PoisonedItems, P8_Issue39_8_TheSweepsOwnItemToo) {
  poison("sweep");
  const SweepReport report = run(policy(kTeam));
  EXPECT_TRUE(report.state_unavailable);
  // It is no reason to leave jobs alone, and the limit holds.
  place_violators(3);
  EXPECT_EQ(run(limited(kTeam, 2)).held_back, 3U);
  run(limited(kTeam, 3));
  EXPECT_EQ(stopping(), 3);
}

TEST_F(PoisonedItems, P8_Issue39_8_ARulesItemToo) {
  constexpr const char* kAgain = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {"limit": 3}}]})";
  const rules::Policy with = policy(kAgain);
  poison(rules::rule_item_id(with.rules()[0].text));
  EXPECT_TRUE(run(with).state_unavailable);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_fairness_test
