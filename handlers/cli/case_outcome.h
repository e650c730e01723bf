// What a policy comes to in one case, and where that differs from what is expected (policy.md T2).
// Decided by the engine that the functions have.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/case_reader.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

struct CaseOutcome {
  // Of each rule, in the order of the policy; never kUnknown.
  std::vector<rules::Truth> verdicts;
  // What differs, a sentence each; empty: the case passes.
  std::vector<std::string> differences;
};

CaseOutcome outcome_of_case(const PolicyCase& given, const rules::Policy& policy);

}  // namespace trainwarden::cli
