#include "handlers/rules/notices/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainwarden::rules {

std::string money(double usd) {
  const auto cents = static_cast<std::int64_t>(std::llround(std::max(0.0, usd) * 100));
  const std::string digits = fmt::format("{}", cents / 100);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return fmt::format("{}.{:02} USD", out, cents % 100);
}

}  // namespace trainwarden::rules
