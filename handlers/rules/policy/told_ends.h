// Rules that tell people of jobs that have ended as well as of those that run, and do not say that
// they mean to. Sound, and seldom meant: such a rule tells of every job that ends, and a sweep of
// all that ended within the last 26 hours when it first meets the rule (S1).
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each rule that notifies and has an alternative in which nothing tells
// jobs that run from jobs that have ended: no condition on a status, on what only the one or only
// the other has, and no exemption of a status.
std::vector<std::string> told_ends(const Policy& policy);

}  // namespace trainwarden::rules
