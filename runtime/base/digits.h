// Digits and whole numbers as tags, options and names write them.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "runtime/base/ascii.h"

namespace trainwarden {

// The whole text as a decimal number that is at least the given minimum; nullopt for anything else,
// including other characters before or after it.
inline std::optional<std::int64_t> whole_number(
    std::string_view text, std::int64_t least = std::numeric_limits<std::int64_t>::min()) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < least) return std::nullopt;
  return out;
}

}  // namespace trainwarden
