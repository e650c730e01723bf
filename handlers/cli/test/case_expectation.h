// What a test of a policy expects of one case (policy.md T2), checked against the policy.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "handlers/rules/decide/truth.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// At least one of the three is expected.
struct CaseExpectation {
  std::optional<std::set<std::size_t>> rules = {};          // exactly the rules that hold
  std::optional<std::set<rules::ActionKind>> actions = {};  // exactly these
  std::map<std::size_t, rules::Truth> verdicts = {};        // of single rules; never kUnknown

  // Whether the case expects that this rule cannot be decided.
  bool expects_undecided(std::size_t rule) const {
    const auto at = verdicts.find(rule);
    return at != verdicts.end() && at->second == rules::Truth::kUnavailable;
  }
};

// Reports mistakes at the reader's path: rules or actions that the policy does not have, an empty
// expectation, and one that contradicts itself.
CaseExpectation read_case_expectation(json::Value expect, const rules::Policy& policy,
                                      rules::Reader& reader);

}  // namespace trainwarden::cli
