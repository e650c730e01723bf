// Warns of announced stops (policy.md A1, grace_seconds) that nobody can avert, or that come only
// after most jobs have ended.
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

std::vector<rules::Remark> grace_warnings(const rules::Policy& policy);

}  // namespace trainwarden::cli
