// One line of `trainwarden test`'s CASES: what is told of a job, and what a policy must come to
// (policy.md T1, T3). What a line does not give is unavailable in its sources, never absent.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/case_expectation.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

struct PolicyCase {
  std::string name;
  std::string why = {};  // for people
  rules::Sources sources;
  std::optional<sys_seconds> now = {};
  // AWS's own words, of an export: what the description lacks, AWS did not tell. An export keeps
  // hyperparameters and variables only where its policy names them.
  bool exported = false;
  // Of the job as it is written down: its members that are not null.
  std::set<std::string, std::less<>> members = {};
  bool name_is_given = false;  // the job's
  CaseExpectation expect;
};

// A line that is no case: its name, where it has one, and all mistakes.
struct CaseMistakes {
  std::string name = {};
  std::vector<std::string> errors;
};

std::expected<PolicyCase, CaseMistakes> read_case(std::string_view line,
                                                  const rules::Policy& policy);

}  // namespace trainwarden::cli
