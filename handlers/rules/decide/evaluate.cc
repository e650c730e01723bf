#include "handlers/rules/decide/evaluate.h"

#include <algorithm>

#include "handlers/rules/facts/silence.h"

namespace trainwarden::rules {
namespace {

bool any_unavailable(SourceSet sources, const Facts& facts) {
  for (Source source : sources) {
    if (facts.unavailable(source) != nullptr) return true;
  }
  return false;
}

// What is not fully known of a group: false if one of the conditions on early facts fails, else
// true only if there are no other conditions.
Truth evaluate_early(const Part& part, const Facts& facts) {
  bool open = false;
  for (std::size_t i = 0; i < part.conditions.size(); ++i) {
    const Scalar* fact = early_fact(part.early[i], facts);
    if (fact == nullptr) {
      open = true;
    } else if (!part.conditions[i].accepts(*fact)) {
      return Truth::kFalse;
    }
  }
  if (!open) return Truth::kTrue;
  return any_unavailable(facts.lacking(part.group), facts) ? Truth::kUnavailable : Truth::kUnknown;
}

// The job as Search tells it: conditions on members that Search lacks stay open.
Truth evaluate_provisional(const Part& part, const Facts& facts) {
  return matches(part.search_tells, facts.fields(part.group)) ? Truth::kUnknown : Truth::kFalse;
}

// The silence of logs: a job that has not trained for that long cannot have been silent for that
// long, whatever its logs say.
bool is_too_young(const Part& part, const Facts& facts) {
  if (!facts.knows(Source::kDescribe)) return false;
  const auto longest = facts.trains_for();
  const auto may_hold = [&](const Condition& condition) {
    if (condition.accepts_absence()) return true;
    return longest && std::ranges::any_of(condition.tests, [&](const Test& test) {
             const auto least = silence_that_passes(test);
             return !least || *least <= *longest;
           });
  };
  return !std::ranges::all_of(part.conditions, may_hold);
}

Truth evaluate_known(const Part& part, const Facts& facts) {
  if (part.search_lacks_some && facts.provisional()) return evaluate_provisional(part, facts);
  return matches(part.conditions, facts.fields(part.group)) ? Truth::kTrue : Truth::kFalse;
}

}  // namespace

Truth evaluate(const Part& part, const Facts& facts) {
  if (part.group == Group::kLogs && is_too_young(part, facts)) return Truth::kFalse;
  return facts.knows(part.group) ? evaluate_known(part, facts) : evaluate_early(part, facts);
}

Truth evaluate(const Conjunction& conjunction, const Facts& facts) {
  Truth out = Truth::kTrue;
  for (const Part& part : conjunction.parts) {
    const Truth one = evaluate(part, facts);
    if (one == Truth::kFalse) return one;
    out = both(out, one);
  }
  return out;
}

Truth evaluate(const FactPattern& pattern, const Facts& facts) {
  Truth out = Truth::kFalse;
  for (const Conjunction& conjunction : pattern.any) {
    const Truth one = evaluate(conjunction, facts);
    if (one == Truth::kFalse) continue;
    out = either(out, one);
    if (out == Truth::kTrue) break;
  }
  return out;
}

Truth evaluate_unless(const FactPattern& unless, const Facts& facts) {
  const Truth whole = evaluate(unless, facts);
  if (unless.any.empty()) return whole;
  const std::vector<Facts> each = facts.of_each_preference();
  if (each.empty()) return whole;
  Truth out = Truth::kTrue;
  for (const Facts& one : each) out = both(out, evaluate(unless, one));
  return out;
}

}  // namespace trainwarden::rules
