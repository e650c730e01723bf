// Whether what a policy says of a job holds, as far as the job is known (policy.md F6).
#pragma once

#include <optional>

#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// What the event tells about a condition; null where it tells nothing.
inline const Scalar* early_fact(std::optional<Early> early, const Facts& facts) {
  if (!early) return nullptr;
  const std::optional<Scalar>& fact = facts.early(*early);
  return fact ? &*fact : nullptr;
}

Truth evaluate(const Part& part, const Facts& facts);
Truth evaluate(const Conjunction& conjunction, const Facts& facts);
Truth evaluate(const FactPattern& pattern, const Facts& facts);

}  // namespace trainwarden::rules
