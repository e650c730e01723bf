// The whole number that begins a text.
#include "handlers/rules/failure/leading_number.h"

#include <gtest/gtest.h>

#include <string>

namespace trainwarden::rules::leading_number_test {
namespace {

std::string read(std::string_view text) {
  const auto number = leading_number(text);
  return number ? std::to_string(number->value) + "/" + std::to_string(number->size) : "none";
}

TEST(LeadingNumber, EndsWhereItsDigitsEnd) {
  EXPECT_EQ(read("137"), "137/3");
  EXPECT_EQ(read("-9,"), "-9/2");
  EXPECT_EQ(read("007 s"), "7/3");
  EXPECT_EQ(read("1.5"), "1/1");
}

TEST(LeadingNumber, IsNoneWhereNoDigitStands) {
  for (const std::string_view text : {"", "-", "--1", "+1", " 1", "x1"})
    EXPECT_EQ(read(text), "none") << text;
}

TEST(LeadingNumber, IsNoneWhereAnIntHoldsNoSuchNumber) {
  EXPECT_EQ(read("2147483647"), "2147483647/10");
  EXPECT_EQ(read("2147483648"), "none");
  EXPECT_EQ(read("-2147483647"), "-2147483647/11");
  EXPECT_EQ(read("99999999999999999999999999"), "none");
}

}  // namespace
}  // namespace trainwarden::rules::leading_number_test
