// Amounts of money, numbers, days and spans of time as people read them, on the terminal and in
// pages.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/time.h"

namespace trainwarden::cli {

// "$27,688" from a hundred dollars on, else "$9.05".
std::string dollars(double usd);
// "no price" if unknown; "up to $12" for an upper bound.
std::string dollars(std::optional<double> usd, bool is_bound = false);
// "1,200"
std::string number_text(std::size_t number);
// "1 stop", "1,200 stops"
std::string counted(std::size_t count, std::string_view one, std::string_view many);
// "12.5 h"
std::string hours_text(std::optional<double> hours);
// "23 Nov 2026", "23 Nov", "23 Nov 2026 05:40 UTC"
std::string long_day(sys_seconds time);
std::string short_day(sys_seconds time);
std::string minute_text(sys_seconds time);
// "45 s", "12 min", "3.5 h", "2.1 d"
std::string span_text(std::chrono::seconds span);
// "14%"; empty if the whole is zero.
std::string share_text(double part, double whole);

}  // namespace trainwarden::cli
