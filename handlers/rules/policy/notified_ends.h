// Warns of rules that hold for ended jobs as well as for running ones without saying so: valid, but
// seldom meant. One that notifies sends a notice for every job that ends, and the first sweep after
// its deployment one for every job that ended within the last 26 hours (S1). One that stops or
// restarts was meant for either (F3).
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each rule that notifies and has an alternative that does not distinguish
// running jobs from ended ones: no condition on a status or on a fact that only one of the two has,
// and no exemption of a status.
std::vector<Remark> notified_ends(const Policy& policy);

// The same for each other rule that stops or restarts.
std::vector<Remark> stopped_ends(const Policy& policy);

}  // namespace trainwarden::rules
