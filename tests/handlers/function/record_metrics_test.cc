#include "handlers/function/record_metrics.h"

#include <gtest/gtest.h>

namespace trainwarden::function::record_metrics_test {
namespace {

using Kind = rules::ActionResult::Kind;

const rules::ActionResult kHeldBack{
    .kind = Kind::kHeldBack,
    .reason = rules::Reason{.why = rules::Why::kStopsPerHour, .number = 20, .limit = 20}};

rules::ActionResult copied(const char* name) { return {.kind = Kind::kCopied, .name = name}; }

actions::DecisionOutcome outcome(rules::Mode mode, rules::ActionResult result) {
  actions::DecisionOutcome made;
  made.decision.rule = "r";
  made.decision.mode = mode;
  made.decision.actions = {{rules::ActionKind::kStop}, {rules::ActionKind::kNotify}};
  made.actions.push_back({rules::ActionKind::kStop, std::move(result)});
  made.actions.push_back({rules::ActionKind::kNotify, {Kind::kLogged}});
  return made;
}

std::vector<std::string> lines(const actions::Record& record) {
  std::vector<std::string> found;
  MetricsSum sum;
  sum.add(record);
  for (const auto& metrics : sum.metrics()) {
    const std::string line = metrics.line(sys_millis{});
    found.push_back(line.substr(line.find("]}]},") + 5));
  }
  return found;
}

TEST(RecordMetricsR2, AJobInOrderIsEvaluatedOnly) {
  EXPECT_EQ(lines({}), (std::vector<std::string>{R"("Evaluated":1,"Violations":0})"}));
}

TEST(RecordMetricsR2, AJobWithoutAPriceIsCountedOnce) {
  actions::Record record;
  record.skipped = {{"a", 0, {rules::Source::kPrices}}, {"b", 1, {rules::Source::kPrices}}};
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{R"("Evaluated":1,"Violations":0,"Unpriced":1})"}));
  record.skipped = {{"a", 0, {rules::Source::kTags}}};
  EXPECT_EQ(lines(record), (std::vector<std::string>{R"("Evaluated":1,"Violations":0})"}));
}

TEST(RecordMetricsR2, AJobWithMembersThatAreNotKnownIsCountedOnce) {
  actions::Record record;
  record.unknown_members = {"Fleet", "ResourceConfig.Fleet"};
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{R"("Evaluated":1,"Violations":0,"UnknownMembers":1})"}));
}

TEST(RecordMetricsR2, StopsAndThrottlingAreCounted) {
  actions::Record record;
  record.decisions.push_back(outcome(rules::Mode::kEnforce, {Kind::kStopped}));
  record.decisions.push_back(
      outcome(rules::Mode::kEnforce, {.kind = Kind::kEndedBefore, .name = "Stopping"}));
  record.decisions.push_back(outcome(rules::Mode::kEnforce, kHeldBack));
  record.calls = {{"sagemaker", "ListTags", 3, "ThrottlingException"},
                  {"sagemaker", "AddTags", 1, "ok"}};
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{
                R"("Evaluated":1,"Violations":3,"Stops":1,"HeldBack":1,"Throttled":1})",
                R"("Rule":"r","StopsByRule":1})"}));
}

TEST(RecordMetricsR2, StopsAreCountedByRuleToo) {
  MetricsSum sum;
  for (const char* const rule : {"no-owner", "idle", "no-owner", ":müde\n"}) {
    actions::Record record;
    record.decisions.push_back(outcome(rules::Mode::kEnforce, {Kind::kStopped}));
    record.decisions.back().decision.rule = rule;
    sum.add(record);
  }
  const std::vector<lambda::Metrics> all = sum.metrics();
  ASSERT_EQ(all.size(), 4U);
  const auto of_rule = [&](std::size_t i) {
    const std::string line = all[i].line(sys_millis{});
    return line.substr(line.find(R"("Dimensions")"));
  };
  const std::string head =
      R"("Dimensions":[["Rule"]],"Metrics":[{"Name":"StopsByRule","Unit":"Count"}]}]},)";
  EXPECT_EQ(of_rule(1), head + R"("Rule":"no-owner","StopsByRule":2})");
  EXPECT_EQ(of_rule(2), head + R"("Rule":"idle","StopsByRule":1})");
  // What CloudWatch would not take as a dimension's value, byte by byte.
  EXPECT_EQ(of_rule(3), head + R"("Rule":"?m??de?","StopsByRule":1})");
}

TEST(RecordMetricsR2, ReleasesAreCountedOnceAndAddWhatTheySave) {
  actions::Record record;
  actions::DecisionOutcome made;
  made.decision.mode = rules::Mode::kEnforce;
  made.decision.actions = {{rules::ActionKind::kRelease}};
  made.actions.push_back({rules::ActionKind::kRelease, {Kind::kReleased}});
  made.actions[0].saved_usd = 800;
  record.decisions.push_back(std::move(made));
  made = {};
  made.decision.mode = rules::Mode::kEnforce;
  made.decision.actions = {{rules::ActionKind::kRelease}};
  made.actions.push_back(
      {rules::ActionKind::kRelease, {.kind = Kind::kReleasedByRule, .name = "other"}});
  record.decisions.push_back(std::move(made));
  EXPECT_EQ(
      lines(record),
      (std::vector<std::string>{R"("Evaluated":1,"Violations":2,"Released":1,"SavedUSD":800})"}));
}

TEST(RecordMetricsR2, W4_ASilenceThatNothingWitnessesIsCounted) {
  actions::Record record;
  record.conclusion = actions::Conclusion::kNotConfirmed;
  record.blind = true;
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{R"("Evaluated":1,"Violations":0,"Blind":1})"}));
}

TEST(RecordMetricsR2, AlarmsAreCountedAndNoModeSuppressesThem) {
  actions::Record record;
  actions::DecisionOutcome made;
  made.decision.rule = "r";
  made.decision.mode = rules::Mode::kObserve;
  made.actions.push_back({rules::ActionKind::kWatch, {Kind::kWatched}});
  made.actions[0].alarms.created = {"trainwarden/j/a", "trainwarden/j/b/1", "trainwarden/j/b/2"};
  made.actions[0].alarms.reset = {"trainwarden/j/c"};
  record.decisions.push_back(std::move(made));
  record.left_over.deleted = {"trainwarden/j/d", "trainwarden/j/e"};
  record.left_over.left = {"trainwarden/j/f"};
  ASSERT_EQ(lines(record).size(), 1U);
  EXPECT_NE(lines(record)[0].find(R"("AlarmsCreated":3,"AlarmsDeleted":2,"AlarmsLeft":1)"),
            std::string::npos)
      << lines(record)[0];
}

// A copy that is owed and that the hour holds back counts; one that TRAINWARDEN_MODE holds does
// not.
TEST(RecordMetricsR2, CopiesThatTheHourHoldsBackAreCounted) {
  const auto pending = [](rules::Why why) {
    actions::Record record;
    record.restart = {rules::ActionKind::kRestart,
                      {.kind = Kind::kHeldBack, .reason = rules::Reason{.why = why}}};
    return lines(record);
  };
  EXPECT_EQ(pending(rules::Why::kRestartsPerHour),
            (std::vector<std::string>{R"("Evaluated":1,"Violations":0,"HeldBack":1})"}));
  EXPECT_EQ(pending(rules::Why::kModeHoldsBack),
            (std::vector<std::string>{R"("Evaluated":1,"Violations":0})"}));
}

TEST(RecordMetricsR2, RestartsAndWhatAGuardRefusedAreCounted) {
  const auto restart = [](const rules::ActionResult& result) {
    actions::DecisionOutcome made;
    made.decision.mode = rules::Mode::kEnforce;
    made.decision.actions = {{rules::ActionKind::kRestart}};
    made.actions.push_back({rules::ActionKind::kRestart, result});
    return made;
  };
  actions::Record record;
  record.restart = {rules::ActionKind::kRestart, copied("a-r1-01234567")};
  for (const rules::ActionResult& result :
       {copied("b-r1-01234567"), rules::ActionResult{.kind = Kind::kCopiedBefore, .name = "c"},
        rules::refused(rules::Why::kCompleted), rules::ActionResult{Kind::kStoppingToCopy},
        kHeldBack})
    record.decisions.push_back(restart(result));
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{
                R"("Evaluated":1,"Violations":5,"Restarts":2,"LoopGuard":1,"HeldBack":1})"}));
}

// No notice can tell of it: that needs a claim in the same table.
TEST(RecordMetricsR2, AStateTableThatCannotBeHadIsCounted) {
  const Error lost{ErrorCode::kStateUnavailable, "the state table: throttled"};
  actions::Record record;
  actions::DecisionOutcome decided = outcome(rules::Mode::kEnforce, {Kind::kFailed});
  decided.actions[0].error = lost;
  record.decisions.push_back(decided);
  EXPECT_NE(lines(record)[0].find(R"("StateUnavailable":1)"), std::string::npos);
  record.decisions[0].actions[0].error = Error{ErrorCode::kThrottled, "StopTrainingJob: throttled"};
  EXPECT_EQ(lines(record)[0].find("StateUnavailable"), std::string::npos);
  record.restart = actions::failed(rules::ActionKind::kRestart, lost);
  EXPECT_NE(lines(record)[0].find(R"("StateUnavailable":1)"), std::string::npos);
  record = {};
  record.error = lost;
  EXPECT_NE(lines(record)[0].find(R"("StateUnavailable":1)"), std::string::npos);
  record.error = Error{ErrorCode::kUnavailable, "ListTags: throttled"};
  EXPECT_EQ(lines(record)[0].find("StateUnavailable"), std::string::npos);
}

// What is done already does not fail for it.
TEST(RecordMetricsR2, WhatCouldNotBeNotedIsCounted) {
  actions::Record record;
  actions::DecisionOutcome decided = outcome(rules::Mode::kNotify, {Kind::kNotified});
  decided.actions[0].note = "may be told again: the state table: throttled";
  decided.actions[0].state_unavailable = true;
  record.decisions.push_back(decided);
  EXPECT_NE(lines(record)[0].find(R"("StateUnavailable":1)"), std::string::npos);
}

TEST(RecordMetricsR2, ASweepThatIsCompletedIsCountedByFunction) {
  const auto line = [](std::string_view arn) {
    const std::string all = sweep_completed(arn).line(sys_millis{});
    return all.substr(all.find(R"("Dimensions")"));
  };
  const std::string named =
      R"("Dimensions":[["FunctionName"]],"Metrics":[{"Name":"SweepCompleted","Unit":"Count"}]}]},)"
      R"("FunctionName":"t-state","SweepCompleted":1})";
  EXPECT_EQ(line("arn:aws:lambda:eu-central-1:111122223333:function:t-state"), named);
  EXPECT_EQ(line("arn:aws:lambda:eu-central-1:111122223333:function:t-state:live"), named);
  for (const char* const arn : {"", "arn:f", "arn:aws:sns:eu-central-1:111122223333:topic"})
    EXPECT_EQ(line(arn),
              R"("Dimensions":[[]],"Metrics":[{"Name":"SweepCompleted","Unit":"Count"}]}]},)"
              R"("SweepCompleted":1})")
        << arn;
}

TEST(RecordMetricsR2, WhatASweepLeavesIsCountedByFunction) {
  const std::string all =
      sweep_left("arn:aws:lambda:eu-central-1:111122223333:function:t-state", 3).line(sys_millis{});
  EXPECT_EQ(all.substr(all.find(R"("Dimensions")")),
            R"("Dimensions":[["FunctionName"]],"Metrics":[{"Name":"SweepLeft","Unit":"Count"}]}]},)"
            R"("FunctionName":"t-state","SweepLeft":3})");
}

TEST(RecordMetricsR2, WhatAModeSuppressesIsCountedByMode) {
  actions::Record record;
  record.decisions.push_back(outcome(rules::Mode::kObserve, {Kind::kObserved}));
  record.decisions.push_back(
      outcome(rules::Mode::kNotify, rules::not_done(rules::Why::kModeIsNotify)));
  EXPECT_EQ(lines(record), (std::vector<std::string>{R"("Evaluated":1,"Violations":2})",
                                                     R"("Mode":"observe","Suppressed":1})",
                                                     R"("Mode":"notify","Suppressed":1})"}));
}

TEST(RecordMetricsR2, ARuleThatOnlyWatchesIsNoViolationAndNotSuppressed) {
  actions::DecisionOutcome watched;
  watched.decision.mode = rules::Mode::kObserve;
  watched.decision.actions = {{rules::ActionKind::kWatch}};
  watched.actions.push_back({rules::ActionKind::kWatch, {Kind::kWatchedBefore}});
  actions::Record record;
  record.decisions.push_back(watched);
  EXPECT_EQ(lines(record), (std::vector<std::string>{R"("Evaluated":1,"Violations":0})"}));
}

TEST(RecordMetricsR2, WhatAStopSavesIsCountedWhereThereIsAPrice) {
  actions::Record record;
  record.decisions.push_back(outcome(rules::Mode::kEnforce, {Kind::kStopped}));
  record.decisions.back().actions.front().saved_usd = 1234.5;
  EXPECT_EQ(lines(record), (std::vector<std::string>{
                               R"("Evaluated":1,"Violations":1,"Stops":1,"SavedUSD":1234.5})",
                               R"("Rule":"r","StopsByRule":1})"}));
}

TEST(RecordMetricsR2, RecordsAddUpAndOtherCountsStandBesideThem) {
  MetricsSum sum;
  sum.add(actions::Record());
  sum.add(actions::Record());
  sum.count("Orphans", 3);
  const std::string line = sum.metrics().at(0).line(sys_millis{});
  EXPECT_EQ(line.substr(line.find("]}]},") + 5), R"("Evaluated":2,"Violations":0,"Orphans":3})");
}

TEST(RecordMetricsR2, ARefusalThatASweepMeetsAgainIsNotCountedAgain) {
  actions::DecisionOutcome made;
  made.decision.mode = rules::Mode::kEnforce;
  made.decision.actions = {{rules::ActionKind::kRestart}};
  made.actions.push_back({rules::ActionKind::kRestart, rules::refused(rules::Why::kCompleted)});
  actions::Record record;
  record.trigger = rules::Trigger::kSweep;
  record.decisions.push_back(std::move(made));
  EXPECT_EQ(lines(record), (std::vector<std::string>{R"("Evaluated":1,"Violations":1})"}));
}

}  // namespace
}  // namespace trainwarden::function::record_metrics_test
