#include "handlers/cli/terminal/amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace trainwarden::cli {
namespace {

constexpr double kExactBelow = 100;
constexpr double kSecondsAnHour = 3600;

std::string month_day(sys_seconds time, bool with_year) {
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  const std::string out = fmt::format("{} {}", static_cast<unsigned>(day.day()),
                                      kMonths[static_cast<unsigned>(day.month()) - 1]);
  return with_year ? fmt::format("{} {}", out, static_cast<int>(day.year())) : out;
}

}  // namespace

std::string number_text(std::size_t number) {
  std::string out = std::to_string(number);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::string dollars(double usd) {
  const double cents = std::round(std::max(0.0, usd) * 100);
  if (cents == 0) return "$0";
  if (cents < kExactBelow * 100) return fmt::format("${:.2f}", cents / 100);
  return "$" + number_text(static_cast<std::size_t>(std::llround(usd)));
}

std::string dollars(std::optional<double> usd, bool is_bound) {
  if (!usd) return "no price";
  return (is_bound ? "up to " : "") + dollars(*usd);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number_text(count), count == 1 ? one : many);
}

std::string hours_text(std::optional<double> hours) {
  return hours ? fmt::format("{:.1f} h", *hours) : "?";
}

std::string long_day(sys_seconds time) { return month_day(time, true); }
std::string short_day(sys_seconds time) { return month_day(time, false); }

std::string minute_text(sys_seconds time) {
  const std::chrono::hh_mm_ss clock(time - std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{} {:02}:{:02} UTC", long_day(time), clock.hours().count(),
                     clock.minutes().count());
}

std::string span_text(std::chrono::seconds span) {
  const auto seconds = static_cast<double>(span.count());
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kSecondsAnHour) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * kSecondsAnHour) return fmt::format("{:.1f} h", seconds / kSecondsAnHour);
  return fmt::format("{:.1f} days", seconds / kSecondsAnHour / 24);
}

std::string share_text(double part, double whole) {
  if (whole <= 0) return {};
  const double percent = part / whole * 100;
  return percent > 0 && percent < 1 ? "below 1%" : fmt::format("{:.0f}%", percent);
}

}  // namespace trainwarden::cli
