// Since when a rule is enforced. A sweep restarts only jobs that failed after that time, so that a
// new rule does not restart yesterday's failures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct RuleItem {
  sys_seconds since;  // first enforced

  bool operator==(const RuleItem&) const = default;
};

struct RuleDecision {
  sys_seconds since;
  // The item is not there, or would be deleted although the rule is in force.
  bool write = false;

  bool operator==(const RuleDecision&) const = default;
};

// stored: what is there, nullopt where nothing is. The rule is enforced now.
Step<RuleItem, RuleDecision> enforce_rule(const std::optional<Stored<RuleItem>>& stored,
                                          sys_seconds now);

// attributes: as awsapi gives them. nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<std::optional<Stored<RuleItem>>> parse_rule_item(std::string_view id,
                                                        std::optional<json::Value> attributes);
// The item as it is put back.
json::Document rule_attributes(const RuleItem& item, sys_seconds now);

}  // namespace trainwarden::rules
