#include "handlers/rules/decide/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "handlers/rules/decide/evaluate.h"
#include "handlers/rules/facts/silence.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/patterns/condition_text.h"
#include "handlers/rules/policy/unheard_alarms.h"

namespace trainwarden::rules {
namespace {

// The sources of the parts that are still open, in conjunctions that are not false already.
struct Open {
  SourceSet unknown;
  SourceSet unavailable;
};

void add_open(const FactPattern& pattern, const Facts& facts, Open& out) {
  for (const Conjunction& conjunction : pattern.any) {
    if (evaluate(conjunction, facts) == Truth::kFalse) continue;
    for (const Part& part : conjunction.parts) {
      const Truth truth = evaluate(part, facts);
      if (truth != Truth::kUnknown && truth != Truth::kUnavailable) continue;
      for (Source source : facts.lacking(part.group)) {
        const bool failed = facts.unavailable(source) != nullptr;
        if (failed) out.unavailable.add(source);
        // If one source of the group failed, the others cannot help.
        if (!failed && truth == Truth::kUnknown) out.unknown.add(source);
      }
    }
  }
}

Because because(const Part& part, const Condition& condition, const Scalar* leaf,
                const Facts& facts) {
  Because out;
  out.group = part.group;
  out.member = condition.path;
  out.absent = leaf == nullptr;
  out.just_begun = leaf != nullptr && part.group == Group::kJob && is_status(condition.path) &&
                   has_just_begun(leaf->text);
  if (leaf == nullptr) {
    out.value = "absent";
  } else if (!is_confidential(part.group, condition.path)) {
    out.value = leaf->excerpt();
    if (facts.is_upper_bound(part.group, condition.path)) out.value = "at most " + out.value;
    if (leaf->type == json::Type::kNumber) out.unit = unit_of(part.group, condition.path);
    out.asked = asked_of(condition, *leaf, out.unit);
  }
  return out;
}

void add_sources(const Part& part, const Facts& facts, Decision& out) {
  out.rests_on |= sources_of(part.group);
  out.rests_on.remove(kNeverFetched);  // there is nothing to read again
  if (part.group == Group::kDiagnosis && facts.knows(Source::kLogs)) {
    out.rests_on.add(Source::kLogs);
  }
}

// A diagnosis is believed when the line it rests on stands beside it, whole.
void quote_evidence(const Part& part, const Facts& facts, Decision& out) {
  static constexpr std::string_view kEvidence = "evidence";
  if (std::ranges::any_of(part.conditions,
                          [](const Condition& condition) { return condition.path == kEvidence; }))
    return;
  const auto found = facts.fields(part.group).at(kEvidence);
  if (found.empty() || found.front().value.text.empty()) return;
  out.because.push_back({.group = part.group,
                         .member = std::string(kEvidence),
                         .value = std::string(found.front().value.text)});
}

void note_alarm(const Part& part, const Condition& condition, const Scalar* leaf, Decision& out) {
  const bool of_alarm = part.group == Group::kAlarm && leaf != nullptr;
  const bool called = part.group == Group::kEvent && condition.path == "trigger" &&
                      leaf != nullptr && leaf->text == name(Trigger::kAlarm);
  out.asks_for_alarm = out.asks_for_alarm || of_alarm;
  out.rests_on_alarm = out.rests_on_alarm || of_alarm || called;
}

// The seconds of silence; nullopt where the job has no logs.
std::optional<double> silence_in(const Facts& facts) {
  if (!facts.knows(Group::kLogs)) return std::nullopt;
  const auto found = facts.fields(Group::kLogs).at(kSilentSeconds);
  if (found.empty()) return std::nullopt;
  return found.front().value.number;
}

bool is_long_enough(std::optional<std::chrono::seconds> least, std::optional<double> silence) {
  return least && silence && *silence >= std::chrono::duration<double>(*least).count();
}

// Whether the part is true because the job fell silent, and not because it writes.
bool holds_by_silence(const Part& part, const Facts& facts) {
  return std::ranges::any_of(part.conditions, [&](const Condition& condition) {
    return std::ranges::any_of(condition.tests, [&](const Test& test) {
      return is_long_enough(silence_that_passes(test), silence_in(facts));
    });
  });
}

// Whether the part is false because the job fell silent.
bool fails_by_silence(const Part& part, const Facts& facts) {
  return std::ranges::any_of(part.conditions, [&](const Condition& condition) {
    return std::ranges::any_of(condition.tests, [&](const Test& test) {
      return is_long_enough(silence_that_fails(test), silence_in(facts));
    });
  });
}

// Adds why a part that is true is so.
void explain_true(const Part& part, const Facts& facts, Decision& out) {
  add_sources(part, facts, out);
  if (!facts.knows(part.group)) {
    for (std::size_t i = 0; i < part.conditions.size(); ++i) {
      const Scalar* const leaf = early_fact(part.early[i], facts);
      note_alarm(part, part.conditions[i], leaf, out);
      out.because.push_back(because(part, part.conditions[i], leaf, facts));
    }
    return;
  }
  std::vector<const Fields::Field*> matched;
  matches(part.conditions, facts.fields(part.group), &matched);
  for (std::size_t i = 0; i < part.conditions.size(); ++i) {
    const Scalar* leaf = matched[i] == nullptr ? nullptr : &matched[i]->value;
    note_alarm(part, part.conditions[i], leaf, out);
    out.because.push_back(because(part, part.conditions[i], leaf, facts));
    if (leaf == nullptr && has_tag_keys(part.group)) out.rests_on_absent_tag = true;
  }
  if (part.group == Group::kDiagnosis) quote_evidence(part, facts, out);
  if (part.group == Group::kLogs && holds_by_silence(part, facts))
    out.rests_on_silent_logs = out.measured = true;
  // A lineage is told by tags of ours, and by their absence.
  if (part.group == Group::kLineage || part.group == Group::kLauncher)
    out.rests_on_absent_tag = true;
}

// Whether a part that is false could become true by a tag that is not there yet.
bool lacks_tag(const Part& part, const Facts& facts) {
  if (part.group == Group::kLineage || part.group == Group::kLauncher) return true;
  if (!has_tag_keys(part.group)) return false;
  return std::ranges::any_of(part.conditions, [&](const Condition& condition) {
    return !condition.accepts_absence() && facts.fields(part.group).at(condition.path).empty();
  });
}

// Adds what makes each conjunction of an exemption false: one false part of each is enough, one
// that does not rest on an absent tag preferred.
void explain_false(const FactPattern& unless, const Facts& facts, Decision& out) {
  for (const Conjunction& conjunction : unless.any) {
    const Part* chosen = nullptr;
    for (const Part& part : conjunction.parts) {
      if (evaluate(part, facts) != Truth::kFalse) continue;
      if (chosen == nullptr || (lacks_tag(*chosen, facts) && !lacks_tag(part, facts))) {
        chosen = &part;
      }
    }
    if (chosen == nullptr) continue;
    add_sources(*chosen, facts, out);
    if (lacks_tag(*chosen, facts)) out.rests_on_absent_tag = true;
    if (chosen->group == Group::kLogs && fails_by_silence(*chosen, facts))
      out.rests_on_silent_logs = true;
  }
}

// Of the alternatives that hold, the first; before that one, the first that asks for the alarm that
// called. That is what gets measured (W4), and what describes the job is seen to without an alarm.
const Conjunction* alternative_that_holds(const FactPattern& match, const Facts& facts) {
  const auto asks_for_alarm = [&](const Conjunction& conjunction) {
    return std::ranges::any_of(conjunction.parts, [&](const Part& part) {
      return part.group == Group::kAlarm && !facts.fields(Group::kAlarm).all().empty();
    });
  };
  const Conjunction* first = nullptr;
  for (const Conjunction& conjunction : match.any) {
    if (evaluate(conjunction, facts) != Truth::kTrue) continue;
    if (asks_for_alarm(conjunction)) return &conjunction;
    if (first == nullptr) first = &conjunction;
  }
  return first;
}

Decision explain(const Policy& policy, std::size_t index, const Facts& facts, Mode ceiling) {
  const Rule& rule = policy.rules()[index];
  Decision out;
  out.rule = rule.name;
  out.index = index;
  out.mode = effective_mode(policy, rule, ceiling);
  out.actions = rule.actions;
  out.message = rule.message;
  if (const Conjunction* const holds = alternative_that_holds(rule.match, facts))
    for (const Part& part : holds->parts) explain_true(part, facts, out);
  for (const FactPattern* const unless : rule.exemptions()) {
    explain_false(*unless, facts, out);
    if (!unless->any.empty())
      for (const Facts& one : facts.of_each_preference()) explain_false(*unless, one, out);
  }
  return out;
}

// Whether the source may be there when the event comes again.
bool may_be_back(Source source, const Facts& facts) {
  if (kNeverFetched.contains(source) || source == Source::kEvent) return false;
  const Error* const error = facts.unavailable(source);
  if (error != nullptr && error->code == ErrorCode::kTooLarge) return false;
  const bool stays = source == Source::kSilence || source == Source::kCheckpoint;
  if (!stays || error == nullptr) return true;
  return retryable(error->code) || error->code == ErrorCode::kDeadline;
}

Skipped skip(const Rule& rule, std::size_t index, SourceSet sources, const Facts& facts) {
  Skipped out{rule.name, index, sources};
  out.comes_again = sources.empty();
  for (const Source source : sources) {
    out.comes_again = out.comes_again || may_be_back(source, facts);
    if (const Error* const error = facts.unavailable(source))
      out.errors.push_back({source, *error});
  }
  return out;
}

// Sources that take several calls are fetched only if the rest of the rule holds.
SourceSet asked_first(SourceSet needs) {
  SourceSet first = needs;
  first.remove(Source::kSilence);
  first.remove(Source::kCheckpoint);
  return first.empty() ? needs : first;
}

// Whether the policy's `since` holds it back.
bool is_dated(ActionKind action) { return acts_on_job(action); }

// A stop under `since` depends on the creation time, which only Describe gives reliably.
Truth evaluate_since(const Facts& facts) {
  if (facts.knows(Source::kDescribe)) {
    return facts.creation_time() ? Truth::kTrue : Truth::kUnavailable;
  }
  return facts.unavailable(Source::kDescribe) != nullptr ? Truth::kUnavailable : Truth::kUnknown;
}

// Takes stop and restart off a decision about a job that is older than `since`.
void apply_since(const Policy& policy, const Facts& facts, RuleVerdict& out) {
  Decision& decision = *out.decision;
  decision.rests_on.add(Source::kDescribe);
  const sys_seconds created = facts.creation_time().value();
  if (created >= *policy.since()) return;
  for (const Action& action : decision.actions) {
    if (!is_dated(action.kind)) continue;
    out.dropped.push_back(
        {decision.rule,
         action.kind,
         {.why = Why::kOlderThanPolicy, .at = created, .since = *policy.since()}});
  }
  std::erase_if(decision.actions, [](const Action& action) { return is_dated(action.kind); });
  if (decision.actions.empty()) out.decision.reset();
}

// A rule whose match is not false.
RuleVerdict judge(const Policy& policy, std::size_t index, const Facts& facts, Mode ceiling,
                  Truth match) {
  const Rule& rule = policy.rules()[index];
  RuleVerdict out;
  const Truth own = evaluate_unless(rule.unless, facts);
  const Truth wide =
      own == Truth::kTrue ? Truth::kFalse : evaluate_unless(rule.policy_wide(), facts);
  out.verdict = both(match, negate(either(own, wide)));
  out.exempted = wide == Truth::kTrue;
  if (out.verdict == Truth::kFalse) return out;

  const bool dated = policy.since() && std::ranges::any_of(rule.actions, is_dated, &Action::kind);
  const Truth since = dated ? evaluate_since(facts) : Truth::kTrue;
  out.verdict = both(out.verdict, since);

  if (out.verdict == Truth::kTrue) {
    out.decision = explain(policy, index, facts, ceiling);
    if (dated) apply_since(policy, facts, out);
    return out;
  }
  Open open;
  if (match != Truth::kTrue) add_open(rule.match, facts, open);
  for (const FactPattern* const unless : rule.exemptions()) add_open(*unless, facts, open);
  if (since == Truth::kUnknown) open.unknown.add(Source::kDescribe);
  if (since == Truth::kUnavailable) open.unavailable.add(Source::kDescribe);
  if (out.verdict == Truth::kUnknown) {
    out.needs = asked_first(open.unknown);
    return out;
  }
  out.skipped = skip(rule, index, open.unavailable, facts);
  return out;
}

// Drops the restarts of one mode that a stop beats, or that an earlier restart precedes.
void settle_restarts(Mode mode, Evaluation& out) {
  const Decision* stopped_by = nullptr;
  for (const Decision& decision : out.decisions) {
    const bool stops = std::ranges::find(decision.actions, ActionKind::kStop, &Action::kind) !=
                       decision.actions.end();
    if (decision.mode == mode && stops && stopped_by == nullptr) stopped_by = &decision;
  }
  const Decision* first = nullptr;
  const Restart* chosen = nullptr;
  for (Decision& decision : out.decisions) {
    const auto at = std::ranges::find(decision.actions, ActionKind::kRestart, &Action::kind);
    if (decision.mode != mode || at == decision.actions.end()) continue;
    if (stopped_by == nullptr && (chosen == nullptr || *chosen == at->restart)) {
      if (first == nullptr) first = &decision;
      chosen = &at->restart;
      continue;
    }
    out.dropped.push_back({decision.rule, ActionKind::kRestart,
                           stopped_by != nullptr
                               ? Reason{.why = Why::kBeatenByStop, .name = stopped_by->rule}
                               : Reason{.why = Why::kRestartedOtherwise, .name = first->rule}});
    decision.actions.erase(at);
  }
}

}  // namespace

std::vector<Merged> merge(const std::vector<Decision>& decisions, Mode mode) {
  std::vector<Merged> out;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].mode != mode) continue;
    for (const Action& action : decisions[i].actions) {
      auto at = std::ranges::find(out, action, &Merged::action);
      if (at == out.end()) {
        out.push_back({action, {}});
        at = out.end() - 1;
      }
      at->by.push_back(i);
    }
  }
  return out;
}

Mode effective_mode(const Policy& policy, const Rule& rule, Mode ceiling) {
  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), ceiling});
}

Truth rule_verdict(const Policy& policy, std::size_t index, const Facts& facts) {
  const Rule& rule = policy.rules()[index];
  const Truth match = evaluate(rule.match, facts);
  if (match == Truth::kFalse) return match;
  const Truth own = evaluate_unless(rule.unless, facts);
  if (own == Truth::kTrue) return Truth::kFalse;
  return both(match, negate(either(own, evaluate_unless(rule.policy_wide(), facts))));
}

std::vector<Because> why_exempted(const Policy& policy, const Facts& facts) {
  Decision told;
  if (const Conjunction* const holds = alternative_that_holds(policy.unless(), facts))
    for (const Part& part : holds->parts) explain_true(part, facts, told);
  return std::move(told.because);
}

RuleVerdict evaluate_rule(const Policy& policy, std::size_t index, const Facts& facts,
                          Mode ceiling) {
  const Truth match = evaluate(policy.rules()[index].match, facts);
  return match == Truth::kFalse ? RuleVerdict() : judge(policy, index, facts, ceiling, match);
}

std::string Because::path() const { return fmt::format("{}.{}", name(group), member); }

void add_measured(Decision& decision, std::shared_ptr<const Measurement> measurement) {
  std::erase_if(decision.because, [](const Because& because) { return because.measurement; });
  if (decision.rests_on_alarm)
    decision.because.push_back({.group = Group::kAlarm,
                                .member = "measured",
                                .value = {},
                                .measurement = std::move(measurement)});
}

void confirm(Decision& decision, std::shared_ptr<const Measurement> measured, bool of_silence) {
  add_measured(decision, std::move(measured));
  decision.rests_on_silence = of_silence && decision.rests_on_alarm;
  decision.measured = decision.measured || decision.asks_for_alarm;
}

void Evaluation::add(RuleVerdict rule) {
  if (rule.decision) decisions.push_back(std::move(*rule.decision));
  if (rule.skipped) skipped.push_back(std::move(*rule.skipped));
  for (Dropped& one : rule.dropped) dropped.push_back(std::move(one));
  needs |= rule.needs;
}

Evaluation decide(const Policy& policy, const Facts& facts, Mode ceiling) {
  Evaluation out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    // Most rules are false for most events, so that is checked before anything else.
    const Truth match = evaluate(policy.rules()[i].match, facts);
    if (match == Truth::kFalse) continue;
    RuleVerdict verdict = judge(policy, i, facts, ceiling, match);
    if (verdict.exempted) out.exempted.push_back(policy.rules()[i].name);
    out.add(std::move(verdict));
  }
  if (!out.exempted.empty()) out.exempted_because = why_exempted(policy, facts);
  drop_overridden(out);
  return out;
}

std::vector<Dropped> keep_blindness(std::vector<Decision>& decisions, const Policy& policy,
                                    const Reason& why) {
  const auto is_other = [](const Action& action) {
    return action.kind != ActionKind::kNotify && action.kind != ActionKind::kTag;
  };
  std::vector<Dropped> out;
  std::erase_if(decisions, [&](const Decision& decision) {
    return !names_blindness(policy.rules()[decision.index]);
  });
  for (Decision& decision : decisions) {
    for (const Action& action : decision.actions)
      if (is_other(action)) out.push_back({decision.rule, action.kind, why});
    std::erase_if(decision.actions, is_other);
  }
  return out;
}

void drop_overridden(Evaluation& evaluation) {
  for (Mode mode : {Mode::kObserve, Mode::kNotify, Mode::kEnforce})
    settle_restarts(mode, evaluation);
  std::erase_if(evaluation.decisions,
                [](const Decision& decision) { return decision.actions.empty(); });
}

}  // namespace trainwarden::rules
