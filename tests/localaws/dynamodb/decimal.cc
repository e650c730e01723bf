#include "tests/localaws/dynamodb/decimal.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "runtime/base/digits.h"

namespace trainwarden::localaws {
namespace {

constexpr std::size_t kMaxDigits = 38;
constexpr int kMaxExponent = 126;
constexpr int kMinExponent = -129;

std::unexpected<AwsError> not_numeric(std::string_view text) {
  constexpr std::string_view kMessage = "The parameter cannot be converted to a numeric value";
  return invalid(text.empty() ? std::string(kMessage) : fmt::format("{}: {}", kMessage, text));
}

std::string take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  std::string digits(rest.substr(0, count));
  rest.remove_prefix(count);
  return digits;
}

bool take(std::string_view& rest, char wanted) {
  if (!rest.starts_with(wanted)) return false;
  rest.remove_prefix(1);
  return true;
}

// "e+12" and nothing after it; 0 where nothing is left.
std::optional<int> exponent_of(std::string_view rest) {
  if (rest.empty()) return 0;
  if (!take(rest, 'e') && !take(rest, 'E')) return std::nullopt;
  if (take(rest, '+') && rest.starts_with('-')) return std::nullopt;
  int exponent = 0;
  const char* const end = rest.data() + rest.size();
  const auto parsed = std::from_chars(rest.data(), end, exponent);
  constexpr int kReadable = 100'000;
  if (parsed.ec != std::errc() || parsed.ptr != end || exponent > kReadable ||
      exponent < -kReadable)
    return std::nullopt;
  return exponent;
}

}  // namespace

Answer<Decimal> Decimal::parse(std::string_view text) {
  Decimal out;
  std::string_view rest = text;
  out.negative_ = take(rest, '-');
  if (!out.negative_) take(rest, '+');
  const std::string whole = take_digits(rest);
  const std::string fraction = take(rest, '.') ? take_digits(rest) : "";
  const auto exponent = exponent_of(rest);
  if ((whole.empty() && fraction.empty()) || !exponent) return not_numeric(text);
  out.digits_ = whole + fraction;
  const std::size_t first = out.digits_.find_first_not_of('0');
  if (first == std::string::npos) return Decimal();
  out.exponent_ = *exponent + static_cast<int>(whole.size()) - static_cast<int>(first);
  out.digits_ = out.digits_.substr(first, out.digits_.find_last_not_of('0') - first + 1);
  if (out.exponent_ > kMaxExponent)
    return invalid(
        "Number overflow. Attempting to store a number with magnitude larger than supported range");
  if (out.exponent_ < kMinExponent)
    return invalid(
        "Number underflow. Attempting to store a number with magnitude smaller than supported "
        "range");
  if (out.digits_.size() > kMaxDigits)
    return invalid("Attempting to store more than 38 significant digits in a Number");
  return out;
}

std::string Decimal::text() const {
  if (digits_.empty()) return "0";
  const std::string sign = negative_ ? "-" : "";
  if (exponent_ <= 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent_), '0') + digits_;
  const auto whole = static_cast<std::size_t>(exponent_);
  if (whole >= digits_.size()) return sign + digits_ + std::string(whole - digits_.size(), '0');
  return sign + digits_.substr(0, whole) + "." + digits_.substr(whole);
}

std::size_t Decimal::size() const { return (digits_.size() + 1) / 2 + 1 + (negative_ ? 1 : 0); }

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  const auto sign = [](const Decimal& number) {
    if (number.digits_.empty()) return 0;
    return number.negative_ ? -1 : 1;
  };
  if (sign(*this) != sign(other)) return sign(*this) <=> sign(other);
  const Decimal& smaller = negative_ ? other : *this;  // by magnitude, if this is the smaller one
  const Decimal& larger = negative_ ? *this : other;
  if (smaller.exponent_ != larger.exponent_) return smaller.exponent_ <=> larger.exponent_;
  return smaller.digits_ <=> larger.digits_;
}

}  // namespace trainwarden::localaws
