// The decision record (policy.md R1): one JSON object per decided job, returned and logged. It says
// what was decided, because of which values, what was done, and the results. It never contains
// payloads, credentials, or values of hyperparameters or environment variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/client.h"
#include "handlers/rules/alarms/measured.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/action_result.h"
#include "handlers/rules/outcome/open_intent.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// Alarms, by name, that were put, deleted, or taken back from ALARM.
struct AlarmChanges {
  std::vector<std::string> created = {};
  std::vector<std::string> deleted = {};
  std::vector<std::string> reset = {};
  std::optional<Error> error = {};  // why alarms still stand that should not: the invocation fails
  // Those that are left to the sweep, since CloudWatch takes few such calls a second; one that ends
  // with a slash stands for all of a job's.
  std::vector<std::string> left = {};

  bool empty() const { return created.empty() && deleted.empty() && reset.empty() && left.empty(); }
};

// The result of one action of one decision.
struct ActionOutcome {
  rules::ActionKind action;
  rules::ActionResult result = {};
  std::optional<Error> error = {};  // why it was not done: the invocation fails
  std::string note = {};  // a problem that did not prevent it, such as tags that were not written
  // Of a stop: what the job could still have cost up to its MaxRuntime, less its warm pool; of a
  // release: what the pool could still have cost. Where there is a price.
  std::optional<double> saved_usd = {};
  AlarmChanges alarms = {};  // of watch
  // The item that holds its notices, if that is not the job's own.
  std::string notice_item_id = {};
  bool state_unavailable = false;  // what was done could not be stored; `note` says so
};

// An action that was not done because of that error.
inline ActionOutcome failed(rules::ActionKind action, Error error) {
  return {action, {rules::ActionResult::Kind::kFailed}, std::move(error)};
}

struct DecisionOutcome {
  rules::Decision decision;
  std::vector<ActionOutcome> actions;
};

// A notice that was claimed but not sent at once, and its result now.
struct PendingNotice {
  std::string rule;  // that it tells of; empty where that is not known
  ActionOutcome outcome;
};

// What the event said, true or not; decisions rest on Describe.
struct EventClaim {
  std::string id;
  std::optional<sys_seconds> time = {};
  std::string status = {};                  // "Stopped/MaxRuntimeExceeded"
  std::optional<sys_seconds> created = {};  // the job
  std::string alarm = {};
  std::string state = {};  // of the alarm
};
// What the event claims; nullopt for a sweep, which looks at jobs without an event.
std::optional<EventClaim> claim_of(const rules::JobEvent& event);

// How far the job was processed.
enum class Conclusion : std::uint8_t {
  kDecided,
  kGone,
  kNamesake,        // the name belongs to a later job
  kNotConfirmed,    // the alarm that asked for it (W4)
  kOrphanedAlarms,  // only its alarms were looked at, by a sweep
  kUnaskedAlarms    // only alarms of watches that left the policy, by a sweep
};

// "decided", "gone", "namesake", "not confirmed", "alarms of a job that does not run",
// "alarms of watches that left the policy"
std::string_view name(Conclusion conclusion);
inline constexpr Conclusion kLastConclusion = Conclusion::kUnaskedAlarms;
// For programs; none changes (policy.md R1): "decided", "not-confirmed", "orphaned-alarms"
std::string_view code(Conclusion conclusion);

struct Record {
  rules::Trigger trigger = rules::Trigger::kState;
  std::string job;
  std::string state;  // "InProgress/Starting", as far as known at the last decision
  std::optional<std::int64_t> generation = {};  // of copies; absent where the tags are not known
  // Members of the job's description that this version does not know, as paths (F16).
  std::vector<std::string> unknown_members = {};
  Conclusion conclusion = Conclusion::kDecided;
  // What was measured when an alarm was looked at again, or why nothing was (W4).
  std::shared_ptr<const rules::Measurement> measurement = {};
  bool blind = false;               // a silence that nothing witnesses (W4)
  std::optional<Error> error = {};  // why nothing was done: the invocation fails
  std::vector<DecisionOutcome> decisions = {};
  std::vector<rules::Dropped> dropped = {};
  std::vector<rules::Skipped> skipped = {};
  // The rules that the policy's own `unless` keeps from holding, or may, and by which facts.
  std::vector<std::string> exempted = {};
  std::vector<rules::Because> exempted_because = {};
  AlarmChanges left_over = {};  // what was done about alarms of a job that has ended (W3)
  std::optional<ActionOutcome> restart = {};  // what became of one that was begun earlier (A2)
  std::vector<PendingNotice> pending_notices = {};
  std::vector<aws::CallMade> calls = {};
  std::optional<EventClaim> event = {};
  std::vector<rules::OpenIntent> open_intents = {};  // intents that are not over
  std::string policy_hash = {};

  // The first error that must make the invocation fail, so that it is delivered again (F1).
  std::optional<Error> failure() const;
  // Why nothing was measured; null if something was, or nothing was asked for.
  const rules::Reason* unconfirmed() const;
  // By all actions, and left over.
  AlarmChanges alarms() const;
  // It fits into a line of the log: what finds no room there is counted (`left_out`).
  json::Document to_json() const;
  // The same as text on one line.
  std::string to_text() const;

 private:
  void write_to(json::Sink& sink) const;
};

// What Lambda and CloudWatch Logs take in one line is 256 KB; beside the record stand the line's
// own members.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
inline constexpr std::size_t kLongestRecord = 200'000;

}  // namespace trainwarden::actions
