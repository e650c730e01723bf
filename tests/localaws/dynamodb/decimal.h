// DynamoDB's numbers: up to 38 significant digits, from 1E-130 to just below 1E+126, without a sign
// for zero. They are kept and given back in one form, so that 1, 1.0 and 1E0 are equal.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

class Decimal {
 public:
  // The text of the refusal is AWS's.
  static Answer<Decimal> parse(std::string_view text);

  // Without an exponent: "-0.05", "1200".
  std::string text() const;
  // What it counts towards an item's size.
  std::size_t size() const;

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

 private:
  // 0.<digits> times ten to the power of exponent; no zeros at either end of the digits.
  bool negative_ = false;
  std::string digits_;
  int exponent_ = 0;
};

}  // namespace trainwarden::localaws
