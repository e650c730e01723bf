// Warns of rules that are valid but can never hold, because their own values contradict each other.
// Not an error, since AWS may allow tomorrow what it rules out today. Finds common mistakes, not
// every contradiction.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each alternative that cannot match, and each exemption that exempts all.
std::vector<Remark> contradictions(const Policy& policy);

// All warnings on a valid policy: the loader's own, contradictions, alarms that no rule handles,
// and cost conditions that cannot be decided.
std::vector<Remark> warnings_of(const Policy& policy);

}  // namespace trainwarden::rules
