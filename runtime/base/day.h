// A day as RFC 3339 writes it: "2026-11-20".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/time.h"

namespace trainwarden {

// The day of the time, by UTC.
std::string rfc3339_day(sys_seconds time);
// When the day begins, by UTC; nullopt for anything but a day.
std::optional<sys_seconds> parse_rfc3339_day(std::string_view text);

}  // namespace trainwarden
