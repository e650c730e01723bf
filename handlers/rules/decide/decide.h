// The decision core: what a policy says about a job, as far as it is known. A rule holds if its
// match holds and neither its unless nor the policy's does, in the four values of F6; what is
// unknown becomes needs, never a guess, and what is unavailable is skipped and reported, never
// taken for absent (F1). Total functions of (policy, facts, ceiling): they fetch nothing and act on
// nothing.
//
//   Evaluation evaluation = decide(policy, facts_from(sources, policy.prices(), now), ceiling);
//   if (!evaluation.needs.empty()) …  // fetch those sources, then decide on new Facts
//   for (const Decision& decision : evaluation.decisions)
//     …  // carry out decision.actions in decision.mode; decision.because has the reasons
//   for (const Skipped& skipped : evaluation.skipped) …  // report: a source is unavailable
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarms/measured.h"
#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/error.h"

namespace trainwarden::rules {

// One reason: the leaf that met a condition. For the job's hyperparameters and environment
// variables only the path is given, and value is empty (R1).
struct Because {
  Group group = Group::kEvent;
  std::string member;  // of the group, dotted: "model_name", "ResourceConfig.InstanceType"
  // An excerpt; an upper bound begins with "at most"; "absent" if there is no such leaf.
  std::string value;
  bool absent = false;
  // Of a job's statuses: a job that was just created may have that one, too.
  bool just_begun = false;
  // What the rule requires, if that differs from the value: "more than 259200 s", "anything but
  // vision". Also empty if the value must not be shown.
  std::string asked = {};
  std::string_view unit = {};  // of the value: "s", "USD"; a literal
  // What an alarm's confirmation measured (W4), which is no fact of a condition; value and asked
  // are empty then. Shared, since most reasons have none.
  std::shared_ptr<const Measurement> measurement = {};

  std::string path() const;  // "tags.model_name"
};

// A rule that holds.
struct Decision {
  std::string rule;
  std::size_t index = 0;       // in the policy
  Mode mode = Mode::kObserve;  // effective (P3)
  std::vector<Action> actions;
  std::string message;
  std::vector<Because> because;  // one for each condition of the match that holds
  // The sources that must be read again before acting (A1): those of the match that holds and of
  // what makes unless false. Members of `job` always count as describe, even those from the event.
  SourceSet rests_on;
  // Whether the alarm that called took part: a condition on it, or on the trigger.
  bool rests_on_alarm = false;
  // Whether a condition on that alarm took part, which its confirmation measures.
  bool asks_for_alarm = false;
  // Whether the absence of a tag took part. Tags arrive late (A1).
  bool rests_on_absent_tag = false;
  // Whether a measured silence of the watch's metric took part (P7).
  bool rests_on_silence = false;
  // Whether a measurement took part, which a mistaken condition cannot produce: a confirmed alarm
  // (W4), or the silence of logs (P7).
  bool measured = false;
  // Whether the silence of the job's logs took part (P7).
  bool rests_on_silent_logs = false;
};

// Adds to the reasons of a decision that rests on its alarm what was measured, or why nothing was.
void add_measured(Decision& decision, std::shared_ptr<const Measurement> measurement);
// The alarm that called is confirmed by what was measured (W4). What holds without the alarm is not
// confirmed by it. of_silence: a silence of the metric was measured.
void confirm(Decision& decision, std::shared_ptr<const Measurement> measured, bool of_silence);

struct SourceError {
  Source source = Source::kEvent;
  Error error;
};

// A rule that cannot be decided because a source is unavailable.
struct Skipped {
  std::string rule;
  std::size_t index = 0;
  SourceSet sources;
  // Of those sources. None: Describe was read, and does not tell when the job was created.
  std::vector<SourceError> errors = {};
  // Whether a retry of the event may find the sources. A price that the policy lacks will still be
  // missing then. The causes of unreadable logs and checkpoints (a missing permission, no witness)
  // mostly persist, so the next sweep looks again instead.
  bool comes_again = true;
};

// An action of a rule that holds, and that is dropped in favour of another.
struct Dropped {
  std::string rule;
  ActionKind action = ActionKind::kStop;
  Reason reason;
};

// The result of one rule. decision is set if the verdict is true and an action is left; needs is
// not empty if it is unknown; skipped is set if it is unavailable.
struct RuleVerdict {
  Truth verdict = Truth::kFalse;
  std::optional<Decision> decision;
  std::optional<Skipped> skipped;
  std::vector<Dropped> dropped;
  SourceSet needs;
  // The policy's own `unless` exempts the job, which the rule may match, and its own does not.
  bool exempted = false;
};

struct Evaluation {
  // In the order of the policy. If a rule stops the job, restarts of the same mode are dropped;
  // every restart but the first is dropped too (P4).
  std::vector<Decision> decisions;
  std::vector<Skipped> skipped;
  std::vector<Dropped> dropped;
  // Every source that an undecided rule may need, to be fetched together. Empty: all rules are
  // decided.
  SourceSet needs;
  // The rules that the policy's own `unless` keeps from holding, or may, and the facts by which it
  // exempts the job.
  std::vector<std::string> exempted;
  std::vector<Because> exempted_because;

  void add(RuleVerdict rule);  // but for drop_overridden()
};

// One action of one mode, and the indices of the decisions that request it.
struct Merged {
  Action action;
  std::vector<std::size_t> by;
};

// The actions that the decisions of one mode request, with equal actions merged (P4): the input of
// one executor.
std::vector<Merged> merge(const std::vector<Decision>& decisions, Mode mode);

// The weakest of the rule's own mode, the policy's and the ceiling (P3).
Mode effective_mode(const Policy& policy, const Rule& rule, Mode ceiling);

// Whether one rule holds, without its reasons.
Truth rule_verdict(const Policy& policy, std::size_t index, const Facts& facts);

// The facts by which the policy's own `unless` exempts the job; empty where it does not.
std::vector<Because> why_exempted(const Policy& policy, const Facts& facts);

// Decides one rule, for the second check before acting.
RuleVerdict evaluate_rule(const Policy& policy, std::size_t index, const Facts& facts,
                          Mode ceiling);

Evaluation decide(const Policy& policy, const Facts& facts, Mode ceiling);

// W4: of the decisions on an alarm of which nothing can be measured, those of rules that name that
// state, with what only tells: notices and tags. Returns the other actions of these rules.
std::vector<Dropped> keep_blindness(std::vector<Decision>& decisions, const Policy& policy,
                                    const Reason& why);

// The last step of decide(): of one mode's decisions, drops the restarts that a stop beats or that
// an earlier restart precedes (P4), and the decisions of which no action is left.
void drop_overridden(Evaluation& evaluation);

}  // namespace trainwarden::rules
