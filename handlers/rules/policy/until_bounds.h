// How far from now the times may be that a condition on `until` accepts (policy.md F15). What a tag
// may grant is what the rule bounds: the tag itself is written by whoever owns the job.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "handlers/rules/patterns/pattern.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// Seconds from now; infinite where there is no bound.
struct Reach {
  double earliest = std::numeric_limits<double>::infinity();
  double latest = -std::numeric_limits<double>::infinity();

  bool is_empty() const { return earliest > latest; }
};

// Empty for a condition that accepts no number.
Reach reach_of(const Condition& condition);

// A tag whose time alone exempts a job from a rule, and how far ahead that time may be.
struct Extension {
  std::string tag;
  std::chrono::seconds at_most{0};

  bool operator==(const Extension&) const = default;
};

// Those by which the owner of a job that the rule matches may keep it; none without a bound.
std::vector<Extension> extensions_of(const Rule& rule);

}  // namespace trainwarden::rules
