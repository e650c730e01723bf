#include "tests/localaws/dynamodb/decimal.h"

#include <gtest/gtest.h>

#include <vector>

namespace trainwarden::localaws::decimal_test {
namespace {

std::string kept(std::string_view text) {
  const auto number = Decimal::parse(text);
  return number ? number->text() : number.error().message;
}

TEST(Decimal, IsKeptInOneForm) {
  const struct {
    const char* given;
    std::string kept;
  } cases[] = {
      {"1", "1"},
      {"1.0", "1"},
      {"+1", "1"},
      {"01", "1"},
      {"1e0", "1"},
      {"0.10", "0.1"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1200", "1200"},
      {"1.2E3", "1200"},
      {"12345e-2", "123.45"},
      {"-0.05", "-0.05"},
      {"-5e-2", "-0.05"},
      {"0", "0"},
      {"-0", "0"},
      {"0.000", "0"},
      {"0e999", "0"},
      {"1e125", "1" + std::string(125, '0')},
      {"1e-130", "0." + std::string(129, '0') + "1"},
      {"9.9999999999999999999999999999999999999E+125", std::string(38, '9') + std::string(88, '0')},
      {"12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
      {"123456789012345678901234567890123456780000", "123456789012345678901234567890123456780000"},
  };
  for (const auto& expected : cases) EXPECT_EQ(kept(expected.given), expected.kept);
}

TEST(Decimal, WhatIsNoNumberOfDynamoDbsIsRefusedInItsWords) {
  const std::string numeric = "The parameter cannot be converted to a numeric value";
  EXPECT_EQ(kept(""), numeric);
  for (const char* text : {"a", "1a", "-", ".", "e5", "1e", "1e+-2", "1 ", " 1", "1,5", "0x10",
                           "NaN", "Infinity", "--1", "1.2.3"})
    EXPECT_EQ(kept(text), numeric + ": " + text);
  for (const char* text : {"1e126", "-1e126", "10e125"})
    EXPECT_TRUE(kept(text).starts_with("Number overflow.")) << text;
  for (const char* text : {"1e-131", "-1e-131", "0.1e-130"})
    EXPECT_TRUE(kept(text).starts_with("Number underflow.")) << text;
  for (const char* text :
       {"123456789012345678901234567890123456789", "-1.23456789012345678901234567890123456789"})
    EXPECT_EQ(kept(text), "Attempting to store more than 38 significant digits in a Number");
}

TEST(Decimal, HasAnOrder) {
  const std::vector<const char*> sorted{"-1e10", "-12",  "-2",  "-1.5", "-1",  "-0.001",
                                        "0",     "1e-5", "0.5", "1",    "1.5", "9",
                                        "10",    "99",   "123", "1e10"};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = 0; j < sorted.size(); ++j)
      EXPECT_EQ(*Decimal::parse(sorted[i]) <=> *Decimal::parse(sorted[j]), i <=> j)
          << sorted[i] << " " << sorted[j];
}

}  // namespace
}  // namespace trainwarden::localaws::decimal_test
