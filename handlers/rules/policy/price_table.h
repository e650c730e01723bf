// The policy's prices, as the file has them: a number, or a number with the share of it that
// managed spot training pays, by instance type; beside them a share for all types without their
// own.
#pragma once

#include <cstdint>
#include <string_view>

#include "handlers/rules/job/prices.h"
#include "handlers/rules/policy/reader.h"

namespace trainwarden::rules {

// The one member of `prices` that is no instance type.
inline constexpr std::string_view kSpotFactor = "spot_factor";

// No machine costs as much. Whatever a job comes to by such prices is a sum that people can be
// told.
inline constexpr std::int64_t kMostUsdPerHour = 1'000'000;

// Mistakes are complained about, and left out.
Prices read_prices(json::Value object, Reader& reader);

}  // namespace trainwarden::rules
