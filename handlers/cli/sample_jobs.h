// A handful of jobs as accounts have them, all running and none like the other. A stop that would
// hit every one of them was hardly meant. What the samples merely lack, and a rule allows by name,
// is added for that rule (allowed_jobs.h).
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// "rules[2] (name): …" for each rule that stops all sample jobs.
std::vector<rules::Remark> stops_of_everything(const rules::Policy& policy);

}  // namespace trainwarden::cli
