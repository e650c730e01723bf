// Whether rules that ask for cost can be decided, and of spot jobs decided rightly: they are
// skipped for a job on a machine without a price (F1), and what a spot job costs is an upper bound
// without a spot_factor. Warnings, since such a policy is sound.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each rule that is skipped for certain, and for each that may stop a spot
// job for money it has not spent.
std::vector<std::string> cost_doubts(const Policy& policy);

// One warning of the known types without a price on which a rule asks for cost, though none of them
// is named by it; empty where there are none. A policy may well do without: a region does not
// offer all of them.
std::vector<std::string> unpriced_machines(const Policy& policy);

}  // namespace trainwarden::rules
