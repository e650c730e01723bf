// The decision core: what a policy says about a job, as far as it is known. A rule holds if its
// match holds and its unless does not, in the four values of F6; what is unknown becomes needs,
// never a guess, and what is unavailable is skipped and reported, never taken for absent (F1).
// Total functions of (policy, facts, ceiling): they fetch nothing and act on nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// One reason: the leaf that met a condition. Of hyperparameters and of the environment of the job
// only the path is told, and value is empty (R1).
struct Because {
  std::string path;  // "tags.model_name"
  // An excerpt, of an upper bound with "at most" before it; "absent" where the leaf is not there.
  std::string value;
  bool absent = false;
  // What the rule asks for there, where the value is not that itself: "more than 259200 s",
  // "anything but vision". Empty too where the value must not be shown.
  std::string asked = {};
  std::string_view unit = {};  // of the value: "s", "USD"; a literal

  bool is_measured() const;  // what an alarm's confirmation measured (W4)
};

// The path of what an alarm's confirmation measured; its `asked` says what the watch asks for.
inline constexpr std::string_view kMeasured = "alarm.measured";

inline bool Because::is_measured() const { return path == kMeasured; }

// A rule that holds.
struct Decision {
  std::string rule;
  std::size_t index = 0;       // in the policy
  Mode mode = Mode::kObserve;  // effective (P3)
  std::vector<Action> actions;
  std::string message;
  std::vector<Because> because;  // one for each condition of the match that holds
  // What must be looked at again before acting (A1): the sources of the match that holds and of
  // what makes unless false. Members of `job` always count as describe, also those told by the
  // event.
  SourceSet rests_on;
  // Whether a tag that is not there took part. Tags arrive late (A1).
  bool rests_on_absent_tag = false;
  // Whether an alarm's silence took part, as it was measured (P7).
  bool rests_on_silence = false;
  // Whether a measurement took part that no wrong edit of a description brings about: an alarm that
  // was confirmed (W4), or the silence of logs (P7).
  bool measured = false;
  // Whether the silence of the job's logs took part (P7).
  bool rests_on_silent_logs = false;
};

// Whether an alarm took part in its match.
bool rests_on_alarm(const Decision& decision);

// A rule that cannot be decided, because a source is unavailable.
struct Skipped {
  std::string rule;
  std::size_t index = 0;
  SourceSet sources;
  std::string error;
  // Whether the event that comes again may find the sources. What the policy itself lacks, a price,
  // is as missing then; what keeps silent logs and checkpoints from being read (a right, a witness)
  // mostly stays, and the next sweep looks again.
  bool comes_again = true;
};

// An action of a rule that holds, which is not to be done.
struct Dropped {
  std::string rule;
  ActionKind action = ActionKind::kStop;
  std::string reason;
};

// What became of one rule. decision is there where verdict is true and an action is left; needs is
// not empty where it is unknown; skipped is there where it is unavailable.
struct RuleVerdict {
  Truth verdict = Truth::kFalse;
  std::optional<Decision> decision;
  std::optional<Skipped> skipped;
  std::vector<Dropped> dropped;
  SourceSet needs;
};

struct Evaluation {
  // In the order of the policy. Where a rule stops the job, restarts of the same mode are
  // dropped, and so is every restart but the first (P4).
  std::vector<Decision> decisions;
  std::vector<Skipped> skipped;
  std::vector<Dropped> dropped;
  // Every source that an undecided rule may need, to be asked together. Empty: all is decided.
  SourceSet needs;
};

// One action of one mode, and the decisions that ask for it, by their place among the decisions.
struct Merged {
  Action action;
  std::vector<std::size_t> by;
};

// What the decisions of that mode ask for, equal actions as one (P4): the part of one executor.
std::vector<Merged> merge(const std::vector<Decision>& decisions, Mode mode);

// The weakest of the rule's own mode, the policy's and the ceiling (P3).
Mode effective_mode(const Policy& policy, const Rule& rule, Mode ceiling);

// Whether one rule holds, without its reasons.
Truth rule_verdict(const Policy& policy, std::size_t index, const Facts& facts);

// One rule: for the second look before acting.
RuleVerdict evaluate_rule(const Policy& policy, std::size_t index, const Facts& facts,
                          Mode ceiling);

Evaluation decide(const Policy& policy, const Facts& facts, Mode ceiling);

}  // namespace trainwarden::rules
