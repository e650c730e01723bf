// One line of the CASES file of `trainwarden test`: what is given about a job, and what a policy
// must decide about it (policy.md T1, T3). What a line does not give is unavailable in its sources,
// never absent.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/explain/given_facts.h"
#include "handlers/cli/test/case_expectation.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

struct PolicyCase {
  std::string name;
  std::string why = {};  // for people
  rules::Sources sources;
  std::optional<sys_seconds> now = {};
  bool exported = false;
  GivenMembers members = {};
  bool name_is_given = false;  // whether the case gives the job's name
  CaseExpectation expect;

  GivenFacts given() const { return {sources, now, exported, members, name_is_given}; }
};

// A line that is not a valid case: its name, if it has one, and all mistakes.
struct CaseMistakes {
  std::string name = {};
  std::vector<std::string> errors;
};

std::expected<PolicyCase, CaseMistakes> read_case(std::string_view line,
                                                  const rules::Policy& policy);

}  // namespace trainwarden::cli
