// Evaluates a policy's conditions on a job with the facts known so far (policy.md F6).
#pragma once

#include <optional>

#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// The event's value for a condition; null if it has none.
inline const Scalar* early_fact(std::optional<Early> early, const Facts& facts) {
  if (!early) return nullptr;
  const std::optional<Scalar>& fact = facts.early(*early);
  return fact ? &*fact : nullptr;
}

Truth evaluate(const Part& part, const Facts& facts);
Truth evaluate(const Conjunction& conjunction, const Facts& facts);
Truth evaluate(const FactPattern& pattern, const Facts& facts);
// Whether the job is exempt. While AWS may select one of several preferences, the exemption must
// hold for each: an allowed type must not excuse the others.
Truth evaluate_unless(const FactPattern& unless, const Facts& facts);

}  // namespace trainwarden::rules
