// The four values of F6. A condition whose source was not asked is unknown; one whose source failed
// is unavailable. The order of the enumerators is the order in which AND picks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace trainwarden::rules {

enum class Truth : std::uint8_t { kFalse, kUnknown, kUnavailable, kTrue };

// The first present of false, unknown, unavailable, true.
constexpr Truth both(Truth a, Truth b) { return std::min(a, b); }

// Swaps true and false.
constexpr Truth negate(Truth a) {
  if (a == Truth::kTrue) return Truth::kFalse;
  if (a == Truth::kFalse) return Truth::kTrue;
  return a;
}

// The first present of true, unknown, unavailable, false.
constexpr Truth either(Truth a, Truth b) { return negate(both(negate(a), negate(b))); }

constexpr std::string_view name(Truth truth) {
  switch (truth) {
    case Truth::kFalse:
      return "false";
    case Truth::kUnknown:
      return "unknown";
    case Truth::kUnavailable:
      return "unavailable";
    case Truth::kTrue:
      return "true";
  }
  return "";
}

}  // namespace trainwarden::rules
