#include "runtime/base/leading_double.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace trainwarden {

// strtod depends on the locale, which none of our programs sets. It also reads blanks, a plus sign,
// words and hexadecimal digits, so those are kept from it.
LeadingDouble leading_double(std::string_view text) {
  text = text.substr(0, text.find_first_not_of("0123456789.eE+-"));
  if (text.starts_with('+')) return {};
  std::array<char, 64> room{};
  std::string longer;
  const char* begin = room.data();
  if (text.size() < room.size()) {
    std::ranges::copy(text, room.begin());
  } else {
    longer = text;
    begin = longer.c_str();
  }
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  return {value, static_cast<std::size_t>(end - begin)};
}

}  // namespace trainwarden
