// Numbers with a fraction, read from text. std::from_chars of a double would do it, and links 50 KB
// for it.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden {

struct LeadingDouble {
  double value = 0;      // infinite where it is too large for a double
  std::size_t size = 0;  // characters that it takes
};

// The number that the text begins with, to the nearest double: digits with at most one point among
// them, a minus before them and an exponent behind them. A size of 0 where it begins with none.
LeadingDouble leading_double(std::string_view text);

}  // namespace trainwarden
