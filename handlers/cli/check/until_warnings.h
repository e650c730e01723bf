// Warns of rules that a tag with a far time holds off for good (policy.md F15). Whoever owns a job
// writes its tags. So a rule that stops jobs must bound a time in a tag: it may only shorten or
// stretch what the rule grants. No warnings for rules that only notify.
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

std::vector<rules::Remark> until_warnings(const rules::Policy& policy);

}  // namespace trainwarden::cli
