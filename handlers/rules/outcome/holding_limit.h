// The limits of a policy that hold stops and copies back (policy.md P7), and their names. A reason
// says by its Why which of them it was; what is kept in the table has each limit's own name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "handlers/rules/outcome/reason.h"

namespace trainwarden::rules {

enum class HoldingLimit : std::uint8_t {
  kStopsPerHour,
  kSilentPerHour,
  kRestartsPerHour,
  kStopsPerSweep,
  kCopiesPerSweep,  // the sweep's limit, of copies
};

struct LimitName {
  HoldingLimit limit;
  Why why;
  std::string_view kept;    // in the table: each has its own
  std::string_view member;  // of `limits` in the policy
};

// In the order of HoldingLimit.
inline constexpr std::array<LimitName, 5> kHoldingLimits = {
    {{HoldingLimit::kStopsPerHour, Why::kStopsPerHour, "stops_per_hour", "stops_per_hour"},
     {HoldingLimit::kSilentPerHour, Why::kSilentPerHour, "silent_stops_per_hour",
      "silent_stops_per_hour"},
     {HoldingLimit::kRestartsPerHour, Why::kRestartsPerHour, "restarts_per_hour",
      "restarts_per_hour"},
     {HoldingLimit::kStopsPerSweep, Why::kStopsPerSweep, "stops_per_sweep", "stops_per_sweep"},
     {HoldingLimit::kCopiesPerSweep, Why::kCopiesPerSweep, "copies_per_sweep", "stops_per_sweep"}}};

Why why_of(HoldingLimit limit);
// The limit's member of `limits` in the policy: "stops_per_hour". The reason must be a limit's.
std::string_view limit_name(Why why);

}  // namespace trainwarden::rules
