// What one sweep leaves to the next (policy.md S1, P7): where its lists stood when its time was up,
// since when each rule has been enforced as it is, and the jobs whose stop AWS denies. One item, so
// that a sweep reads all of it with one call.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct SweepItem {
  // By CreationTime of the last job that was listed; nullopt where the list came to its end.
  std::optional<sys_seconds> running = {};
  std::optional<sys_seconds> ended = {};
  // Rule::fingerprint → since when it has been enforced.
  std::map<std::string, sys_seconds, std::less<>> enforced = {};
  sys_seconds confirmed = {};  // when a sweep last wrote that these rules are enforced
  std::set<std::string, std::less<>> denied = {};  // names of jobs

  bool operator==(const SweepItem&) const = default;
};

// A rule is mature when it has been enforced, as it is, for so long.
inline constexpr std::chrono::hours kMature{24};
// After so long without an enforcing sweep all rules begin anew: the mode was a weaker one.
inline constexpr std::chrono::hours kEnforcedKept{26};
inline constexpr std::size_t kMostDenied = 500;

// These rules, by their fingerprints, are enforced now; others are not any more. The item is left
// as it is where that says nothing new, so that most sweeps need not write it.
SweepItem confirm_enforced(SweepItem item, std::span<const std::string> rules, sys_seconds now);
// Whether the rule is mature. False where the item does not know it.
bool is_mature(const SweepItem& item, std::string_view rule, sys_seconds now);

// attributes: as awsapi gives them; an item that is not there is an empty one. kUnavailable: what
// is there is none of our items, and what was found.
Result<Stored<SweepItem>> parse_sweep_item(std::optional<json::Value> attributes);
// The item as it is put back.
json::Document sweep_attributes(const SweepItem& item, sys_seconds now);

}  // namespace trainwarden::rules
