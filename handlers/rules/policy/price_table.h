// The policy's prices, as the file has them: a number, or a number with the share of it that
// managed spot training pays, by instance type; beside them a share for all types without their
// own.
#pragma once

#include <cstdint>
#include <string_view>

#include "handlers/rules/job/prices.h"
#include "handlers/rules/policy/reader.h"

namespace trainwarden::rules {

// The only member of `prices` that is not an instance type.
inline constexpr std::string_view kSpotFactor = "spot_factor";

// The largest price that is accepted. No machine costs as much, and sums of such prices stay
// readable.
inline constexpr std::int64_t kMostUsdPerHour = 1'000'000;

// Mistakes are reported and left out.
Prices read_prices(json::Value object, Reader& reader);

}  // namespace trainwarden::rules
