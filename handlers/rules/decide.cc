#include "handlers/rules/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace trainwarden::rules {
namespace {

// What the event tells about a condition; null where it tells nothing.
const Scalar* early_fact(const Part& part, std::size_t i, const Facts& facts) {
  if (!part.early[i]) return nullptr;
  const std::optional<Scalar>& fact = facts.early(*part.early[i]);
  return fact ? &*fact : nullptr;
}

// What is not fully known of a group: false if one of the conditions on early facts fails, else
// true only if there are no other conditions.
Truth evaluate_early(const Part& part, const Facts& facts) {
  bool open = false;
  for (std::size_t i = 0; i < part.conditions.size(); ++i) {
    const Scalar* fact = early_fact(part, i, facts);
    if (fact == nullptr) {
      open = true;
    } else if (!part.conditions[i].accepts(*fact)) {
      return Truth::kFalse;
    }
  }
  if (!open) return Truth::kTrue;
  return facts.unavailable(source_of(part.group)) != nullptr ? Truth::kUnavailable
                                                             : Truth::kUnknown;
}

Truth evaluate(const Part& part, const Facts& facts) {
  if (!facts.knows(part.group)) return evaluate_early(part, facts);
  return matches(part.conditions, facts.fields(part.group)) ? Truth::kTrue : Truth::kFalse;
}

Truth evaluate(const Conjunction& conjunction, const Facts& facts) {
  Truth out = Truth::kTrue;
  for (const Part& part : conjunction.parts) {
    out = both(out, evaluate(part, facts));
    if (out == Truth::kFalse) break;
  }
  return out;
}

Truth evaluate(const FactPattern& pattern, const Facts& facts) {
  Truth out = Truth::kFalse;
  for (const Conjunction& conjunction : pattern.any) {
    out = either(out, evaluate(conjunction, facts));
    if (out == Truth::kTrue) break;
  }
  return out;
}

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
      if (truth == Truth::kUnknown) out.unknown.add(source_of(part.group));
      if (truth == Truth::kUnavailable) out.unavailable.add(source_of(part.group));
    }
  }
}

Because because(const Part& part, const Condition& condition, const Scalar* leaf) {
  Because out;
  out.path = fmt::format("{}.{}", name(part.group), condition.path);
  out.absent = leaf == nullptr;
  if (leaf == nullptr) {
    out.value = "absent";
  } else if (!is_confidential(part.group, condition.path)) {
    out.value = leaf->excerpt();
  }
  return out;
}

// Adds why a part that is true is so.
void explain_true(const Part& part, const Facts& facts, Decision& out) {
  out.rests_on.add(source_of(part.group));
  if (!facts.knows(part.group)) {
    for (std::size_t i = 0; i < part.conditions.size(); ++i) {
      out.because.push_back(because(part, part.conditions[i], early_fact(part, i, facts)));
    }
    return;
  }
  std::vector<const Fields::Field*> matched;
  matches(part.conditions, facts.fields(part.group), &matched);
  for (std::size_t i = 0; i < part.conditions.size(); ++i) {
    const Scalar* leaf = matched[i] == nullptr ? nullptr : &matched[i]->value;
    out.because.push_back(because(part, part.conditions[i], leaf));
    if (leaf == nullptr && part.group == Group::kTags) out.rests_on_absent_tag = true;
  }
}

// Whether a part that is false could become true by a tag that is not there yet.
bool lacks_tag(const Part& part, const Facts& facts) {
  if (part.group != Group::kTags) return false;
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
    out.rests_on.add(source_of(chosen->group));
    if (lacks_tag(*chosen, facts)) out.rests_on_absent_tag = true;
  }
}

Decision explain(const Policy& policy, std::size_t index, const Facts& facts, Mode ceiling) {
  const Rule& rule = policy.rules()[index];
  Decision out;
  out.rule = rule.name;
  out.index = index;
  out.mode = effective_mode(policy, rule, ceiling);
  out.actions = rule.actions;
  out.message = rule.message;
  for (const Conjunction& conjunction : rule.match.any) {
    if (evaluate(conjunction, facts) != Truth::kTrue) continue;
    for (const Part& part : conjunction.parts) explain_true(part, facts, out);
    break;
  }
  explain_false(rule.unless, facts, out);
  return out;
}

Skipped skip(const Rule& rule, std::size_t index, SourceSet sources, std::string error) {
  return {rule.name, index, sources, std::move(error)};
}

std::string errors_of(SourceSet sources, const Facts& facts) {
  std::string out;
  for (Source source : sources) {
    const Error* error = facts.unavailable(source);
    if (error == nullptr) continue;
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", name(source), error->message);
  }
  return out;
}

// A stop under `since` rests on when the job was created, which only Describe tells for sure.
Truth evaluate_since(const Facts& facts) {
  if (facts.knows(Source::kDescribe)) {
    return facts.creation_time() ? Truth::kTrue : Truth::kUnavailable;
  }
  return facts.unavailable(Source::kDescribe) != nullptr ? Truth::kUnavailable : Truth::kUnknown;
}

// Takes the stop off a decision about a job that is older than `since`.
void apply_since(const Policy& policy, const Facts& facts, RuleVerdict& out) {
  Decision& decision = *out.decision;
  decision.rests_on.add(Source::kDescribe);
  const sys_seconds created = facts.creation_time().value();
  if (created >= *policy.since()) return;
  std::erase(decision.actions, ActionKind::kStop);
  out.dropped.push_back({decision.rule, ActionKind::kStop,
                         fmt::format("the job was created {}, before the policy's `since` {}",
                                     rfc3339(created), rfc3339(*policy.since()))});
  if (decision.actions.empty()) out.decision.reset();
}

// A rule whose match is not false.
RuleVerdict judge(const Policy& policy, std::size_t index, const Facts& facts, Mode ceiling,
                  Truth match) {
  const Rule& rule = policy.rules()[index];
  RuleVerdict out;
  out.verdict = both(match, negate(evaluate(rule.unless, facts)));
  if (out.verdict == Truth::kFalse) return out;

  const bool dated = policy.since() && rule.has(ActionKind::kStop);
  const Truth since = dated ? evaluate_since(facts) : Truth::kTrue;
  out.verdict = both(out.verdict, since);

  if (out.verdict == Truth::kTrue) {
    out.decision = explain(policy, index, facts, ceiling);
    if (dated) apply_since(policy, facts, out);
    return out;
  }
  Open open;
  if (match != Truth::kTrue) add_open(rule.match, facts, open);
  add_open(rule.unless, facts, open);
  if (since == Truth::kUnknown) open.unknown.add(Source::kDescribe);
  if (since == Truth::kUnavailable) open.unavailable.add(Source::kDescribe);
  if (out.verdict == Truth::kUnknown) {
    out.needs = open.unknown;
    return out;
  }
  std::string error = errors_of(open.unavailable, facts);
  if (error.empty()) error = "describe: `CreationTime`: expected a time, found none";
  out.skipped = skip(rule, index, open.unavailable, std::move(error));
  return out;
}

}  // namespace

Mode effective_mode(const Policy& policy, const Rule& rule, Mode ceiling) {
  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), ceiling});
}

RuleVerdict evaluate_rule(const Policy& policy, std::size_t index, const Facts& facts,
                          Mode ceiling) {
  const Truth match = evaluate(policy.rules()[index].match, facts);
  return match == Truth::kFalse ? RuleVerdict() : judge(policy, index, facts, ceiling, match);
}

Evaluation decide(const Policy& policy, const Facts& facts, Mode ceiling) {
  Evaluation out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    // Most rules are false for most events: that is found out before anything else is done.
    const Truth match = evaluate(policy.rules()[i].match, facts);
    if (match == Truth::kFalse) continue;
    RuleVerdict rule = judge(policy, i, facts, ceiling, match);
    if (rule.decision) out.decisions.push_back(std::move(*rule.decision));
    if (rule.skipped) out.skipped.push_back(std::move(*rule.skipped));
    for (Dropped& dropped : rule.dropped) out.dropped.push_back(std::move(dropped));
    out.needs |= rule.needs;
  }
  return out;
}

}  // namespace trainwarden::rules
