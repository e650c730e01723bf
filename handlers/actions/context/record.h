// The decision record (policy.md R1): one JSON object per decided job, returned and logged. It
// tells what was decided, because of which values, what was done and what came of it; never
// payloads, hyperparameters' or environment's values, or credentials.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "awsapi/client.h"
#include "handlers/rules/decide/decide.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// Alarms, by name, that were put, deleted, or taken back from ALARM.
struct AlarmChanges {
  std::vector<std::string> created = {};
  std::vector<std::string> deleted = {};
  std::vector<std::string> reset = {};
  std::optional<Error> error = {};  // why alarms still stand that should not: the invocation fails

  bool empty() const { return created.empty() && deleted.empty() && reset.empty(); }
};

// What became of one action of one decision.
struct ActionOutcome {
  rules::ActionKind action;
  std::string result;               // "stopped", "observed", "no longer matches", …
  std::optional<Error> error = {};  // why it was not done: the invocation fails
  std::string note = {};            // what did not prevent it, such as tags that were not written
  // Of a stop: what the job could still have cost up to its MaxRuntime, where there is a price.
  std::optional<double> saved_usd = {};
  AlarmChanges alarms = {};  // of watch
};

struct DecisionOutcome {
  rules::Decision decision;
  std::vector<ActionOutcome> actions;
};

struct Record {
  rules::Trigger trigger = rules::Trigger::kState;
  std::string job;
  std::string state;  // "InProgress/Starting", as far as known at the last decision
  std::optional<std::int64_t> generation = {};  // of copies; absent where the tags are not known
  std::string conclusion;                       // "decided", "gone", "namesake", "not confirmed"
  // What was measured when an alarm was looked at again, or why that confirms nothing (W4).
  std::string measured = {};
  std::optional<Error> error = {};  // why nothing was done: the invocation fails
  std::vector<DecisionOutcome> decisions = {};
  std::vector<rules::Dropped> dropped = {};
  std::vector<rules::Skipped> skipped = {};
  AlarmChanges left_over = {};  // what was done about alarms of a job that has ended (W3)
  std::optional<ActionOutcome> intent = {};  // what became of a restart that was begun earlier (A2)
  std::vector<aws::CallMade> calls = {};
  std::string policy_hash = {};

  // The first error that must make the invocation fail, so that it is delivered again (F1).
  std::optional<Error> failure() const;
  // By all actions, and left over.
  AlarmChanges alarms() const;
  json::Document to_json() const;
};

}  // namespace trainwarden::actions
