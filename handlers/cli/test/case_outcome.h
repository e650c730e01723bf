// What a policy decides in one case, and where that differs from what is expected (policy.md T2).
// The decision is made by the same engine that the functions use.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/test/case_reader.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

struct CaseOutcome {
  // One for each rule, in the order of the policy; never kUnknown.
  std::vector<rules::Truth> verdicts;
  // The differences, a sentence each; empty if the case passes.
  std::vector<std::string> differences;
};

CaseOutcome outcome_of_case(const PolicyCase& given, const rules::Policy& policy);

}  // namespace trainwarden::cli
