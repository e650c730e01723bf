#include "handlers/rules/alarms/measured_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace trainwarden::rules {

std::string short_number(double value) {
  constexpr double kHundred = 100;
  constexpr double kExact = 1e13;
  if (std::abs(value) < kExact) value = std::round(value * kHundred) / kHundred;
  return fmt::format("{}", value + 0.0);  // no sign for zero; std::to_chars would link 128 KB of tables
}

std::string shown_values(std::span<const double> values) {
  constexpr std::size_t kShown = 5;
  std::string out;
  for (const double value : values.first(std::min(kShown, values.size())))
    out += (out.empty() ? "" : ", ") + short_number(value);
  return values.size() > kShown ? out + ", …" : out;
}

std::string list_of(std::span<const std::string> items, std::size_t all) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : "; ") + item;
  if (all > items.size()) out += fmt::format("; and {} more", all - items.size());
  return out;
}

}  // namespace trainwarden::rules
