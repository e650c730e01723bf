// Warns of rules that notify people of ended jobs as well as running ones without saying so. Such a
// rule is valid but seldom meant: it sends a notice for every job that ends, and the first sweep
// after its deployment sends one for every job that ended within the last 26 hours (S1).
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each rule that notifies and has an alternative that does not distinguish
// running jobs from ended ones: no condition on a status or on a fact that only one of the two has,
// and no exemption of a status.
std::vector<Remark> told_ends(const Policy& policy);

}  // namespace trainwarden::rules
