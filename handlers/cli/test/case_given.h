// Facts that a case does not give, although AWS reports them for every such job (policy.md T3). A
// rule that needs one is not decided. The engine alone would take such a fact for absent, because
// it assumes that a description is all that AWS said.
#pragma once

#include <set>
#include <string>

#include "handlers/cli/test/case_reader.h"
#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Whether the rule holds by the facts that are given and, if it is not decided, which are missing:
// "`now` is not given". kUnavailable for every rule that is not decided.
struct GivenVerdict {
  rules::Truth verdict = rules::Truth::kFalse;
  std::set<std::string> missing = {};
  bool is_exempted = false;  // by the policy's own `unless`
};

GivenVerdict given_verdict(const PolicyCase& given, const rules::Rule& rule,
                           const rules::Facts& facts);

// The missing facts on which the confirmation of the job's alarms depends (W4). Without them,
// nothing that an alarm's message asks for is decided.
std::set<std::string> missing_for_alarms(const PolicyCase& given);

}  // namespace trainwarden::cli
