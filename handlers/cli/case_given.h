// What a case does not give, although AWS would tell it of every such job (policy.md T3): a rule
// that needs it is not decided. The engine would take it for absent, since a description is all
// that AWS said.
#pragma once

#include <set>
#include <string>

#include "handlers/cli/case_reader.h"
#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Whether the rule holds by what is given, and of an undecided one what is missing: "`now` is not
// given". kUnavailable for all that is not decided.
struct GivenVerdict {
  rules::Truth verdict = rules::Truth::kFalse;
  std::set<std::string> missing = {};
};

GivenVerdict given_verdict(const PolicyCase& given, const rules::Rule& rule,
                           const rules::Facts& facts);

// What is not given and tells whether an alarm of the job could be confirmed (W4): nothing that its
// message brings is decided without.
std::set<std::string> missing_for_alarms(const PolicyCase& given);

}  // namespace trainwarden::cli
