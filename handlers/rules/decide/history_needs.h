// What must be kept of jobs that are over, for a policy to be decided on them again: which answers
// of AWS, and which members of them that are not kept unasked. By the patterns alone.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

struct HistoryNeeds {
  bool describe = false;  // a pattern names what the records of Search lack
  bool logs = false;      // the end of a failed job's log, where FailureReason does not tell
  // The hyperparameters and variables that patterns name: "Environment.TOKEN".
  std::set<std::string, std::less<>> values = {};
  // Groups of which nothing is kept anywhere, each with the first rule that asks for it.
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
