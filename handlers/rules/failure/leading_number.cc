#include "handlers/rules/failure/leading_number.h"

#include <cstdint>
#include <limits>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {

std::optional<LeadingNumber> leading_number(std::string_view text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  std::size_t end = begin;
  std::int64_t value = 0;
  for (; end < text.size() && is_digit(text[end]); ++end) {
    value = value * 10 + (text[end] - '0');
    if (value > std::numeric_limits<int>::max()) return std::nullopt;
  }
  if (end == begin) return std::nullopt;
  return LeadingNumber{static_cast<int>(begin == 0 ? value : -value), end};
}

}  // namespace trainwarden::rules
