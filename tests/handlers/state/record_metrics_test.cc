#include "handlers/state/record_metrics.h"

#include <gtest/gtest.h>

namespace trainwarden::state {
namespace {

actions::DecisionOutcome outcome(rules::Mode mode, const char* result) {
  actions::DecisionOutcome made;
  made.decision.rule = "r";
  made.decision.mode = mode;
  made.actions.push_back({rules::ActionKind::kStop, result});
  made.actions.push_back({rules::ActionKind::kNotify, "logged"});
  return made;
}

std::vector<std::string> lines(const actions::Record& record) {
  std::vector<std::string> found;
  for (const auto& metrics : metrics_of(record)) {
    const std::string line = metrics.line(sys_millis{});
    found.push_back(line.substr(line.find("]}]},") + 5));
  }
  return found;
}

TEST(RecordMetricsR2, AJobInOrderIsEvaluatedOnly) {
  EXPECT_EQ(lines({}), (std::vector<std::string>{R"("Evaluated":1,"Violations":0})"}));
}

TEST(RecordMetricsR2, StopsAndThrottlingAreCounted) {
  actions::Record record;
  record.decisions.push_back(outcome(rules::Mode::kEnforce, "stopped"));
  record.decisions.push_back(outcome(rules::Mode::kEnforce, "already Stopping"));
  record.decisions.push_back(
      outcome(rules::Mode::kEnforce, "held back: limits.stops_per_hour is 20"));
  record.calls = {{"sagemaker", "ListTags", 3, "ThrottlingException"},
                  {"sagemaker", "AddTags", 1, "ok"}};
  EXPECT_EQ(lines(record),
            (std::vector<std::string>{
                R"("Evaluated":1,"Violations":3,"Stops":1,"HeldBack":1,"Throttled":1})"}));
}

TEST(RecordMetricsR2, WhatAModeSuppressesIsCountedByMode) {
  actions::Record record;
  record.decisions.push_back(outcome(rules::Mode::kObserve, "observed"));
  record.decisions.push_back(outcome(rules::Mode::kNotify, "not done: the mode is notify"));
  EXPECT_EQ(lines(record), (std::vector<std::string>{R"("Evaluated":1,"Violations":2})",
                                                     R"("Mode":"observe","Suppressed":1})",
                                                     R"("Mode":"notify","Suppressed":1})"}));
}

}  // namespace
}  // namespace trainwarden::state
