// The remarks that `check` makes on a policy's text, each with its place in it: all mistakes at
// once; where there is none, warnings of what is probably not intended, and notes on what a rule
// cannot express.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"
#include "runtime/json/locate.h"

namespace trainwarden::cli {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

// "error", "warning", "note"
std::string_view name(Severity severity);

struct CheckRemark {
  Severity severity = Severity::kError;
  std::string path;                 // a JSON pointer: "/rules/0/match/time/hour/0"
  std::optional<std::string> rule;  // name of the rule around it, if it has one
  json::Position at;
  std::string shown;  // the path as people write it: "rules[0].match.time.hour[0]"; may be empty
  std::string message;
  bool is_hint = false;  // a warning that --strict does not count
};

// Mistakes in the order of the text; empty if it is a valid policy.
std::vector<CheckRemark> mistakes_of(std::string_view text);

// Of a policy that the functions take: what `check` refuses all the same (P2), then warnings, then
// notes, each in the order of the text. text: the one that the policy was parsed from.
std::vector<CheckRemark> doubts_of(const rules::Policy& policy, std::string_view text);

}  // namespace trainwarden::cli
