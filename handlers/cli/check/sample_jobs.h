// A handful of typical jobs, all running and all different. A rule that would stop every one of
// them is hardly intended. Where the samples only lack a value that the rule allows by name,
// `check` does not warn (allowed_jobs.h).
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// "rules[2] (name): …" for each rule that stops all sample jobs.
std::vector<rules::Remark> stops_of_everything(const rules::Policy& policy);

}  // namespace trainwarden::cli
