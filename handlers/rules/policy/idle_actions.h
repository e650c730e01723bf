// Warns of actions that can never be carried out, since the rule holds only for jobs on which they
// do nothing (policy.md P2): a stop of jobs that have ended, a restart of jobs that completed.
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

std::vector<Remark> idle_actions(const Policy& policy);

}  // namespace trainwarden::rules
