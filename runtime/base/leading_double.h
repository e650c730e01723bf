// Parses numbers with a fraction. std::from_chars of a double would do, but links 50 KB of tables.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden {

struct LeadingDouble {
  double value = 0;      // infinite if it is too large for a double
  std::size_t size = 0;  // characters that were parsed
};

// The number that the text begins with, to the nearest double: digits with at most one point among
// them, a minus before them and an exponent behind them. The size is 0 if the text does not begin
// with a number.
LeadingDouble leading_double(std::string_view text);

}  // namespace trainwarden
