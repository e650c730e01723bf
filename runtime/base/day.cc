#include "runtime/base/day.h"

#include <fmt/core.h>

#include <cstddef>

namespace trainwarden {
namespace {

constexpr std::size_t kDayLength = 10;

}  // namespace

std::string rfc3339_day(sys_seconds time) { return rfc3339(time).substr(0, kDayLength); }

std::optional<sys_seconds> parse_rfc3339_day(std::string_view text) {
  if (text.size() != kDayLength) return std::nullopt;
  const auto begin = parse_rfc3339(fmt::format("{}T00:00:00Z", text));
  return begin ? std::optional(*begin) : std::nullopt;
}

}  // namespace trainwarden
