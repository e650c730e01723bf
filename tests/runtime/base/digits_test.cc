#include "runtime/base/digits.h"

#include <gtest/gtest.h>

namespace trainwarden::digits_test {
namespace {

TEST(Digits, AreThoseOfDecimalNumbersOnly) {
  for (const char c : {'0', '5', '9'}) EXPECT_TRUE(is_digit(c)) << c;
  for (const char c : {'/', ':', 'a', 'F', ' ', '\0', '\xb2'}) EXPECT_FALSE(is_digit(c)) << c;
}

TEST(Digits, AWholeNumberIsTheWholeText) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("-17"), -17);
  EXPECT_EQ(whole_number("9223372036854775807"), 9'223'372'036'854'775'807);
  for (const char* const text :
       {"", " 1", "1 ", "+1", "1.0", "2x", "x", "0x1", "1e3", "--1", "9223372036854775808"})
    EXPECT_FALSE(whole_number(text)) << text;
}

TEST(Digits, AWholeNumberIsNotLessThanAsked) {
  EXPECT_EQ(whole_number("1", 1), 1);
  EXPECT_FALSE(whole_number("0", 1));
  EXPECT_FALSE(whole_number("-1", 0));
}

}  // namespace
}  // namespace trainwarden::digits_test
