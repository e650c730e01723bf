// What must be exported of finished jobs so that a policy can be decided on them again: which of
// AWS's answers, and which of the members that are not exported by default. Derived from the
// patterns alone.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

struct HistoryNeeds {
  bool describe = false;  // a pattern names a member that Search's records lack
  // The end of a failed job's log, where FailureReason does not tell: for rules on failures, and to
  // know whether a stop would have been right.
  bool logs = false;
  // The hyperparameters and variables that patterns name: "Environment.TOKEN".
  std::set<std::string, std::less<>> values = {};
  // Groups of which no history exists, each with the first rule that uses it.
  struct Lost {
    std::string rule;
    Group group = Group::kLogs;
  };
  std::vector<Lost> lost = {};

  // Whether that member of HyperParameters or Environment is named.
  bool names(std::string_view map, std::string_view key) const;
};

HistoryNeeds history_needs(const Policy& policy);

}  // namespace trainwarden::rules
