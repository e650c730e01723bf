// Warns of rules on cost that cannot be decided, or not exactly for spot jobs. Such a rule is
// skipped for a job on a machine without a price (F1), and without a spot_factor the cost of a spot
// job is an upper bound. Warnings only, since such a policy is valid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each rule that is skipped for certain, and for each that may stop a spot
// job for money it has not spent.
std::vector<Remark> cost_doubts(const Policy& policy);

// The types without a price on which a rule on cost could apply, though it names none of them: a
// warning for those that the policy names or allows elsewhere, and a hint for all other known types
// with accelerators. A policy need not price these: no region sells them all.
std::vector<Remark> unpriced_machines(const Policy& policy);

}  // namespace trainwarden::rules
