// Warns of rules that a tag with a far time holds off for good (policy.md F15). Whoever owns a job
// writes its tags, so that a time in one may only shorten or stretch what the rule grants: a rule
// that stops jobs bounds it. Rules that only notify are not warned of.
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

std::vector<rules::Remark> until_warnings(const rules::Policy& policy);

}  // namespace trainwarden::cli
