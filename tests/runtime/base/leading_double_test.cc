#include "runtime/base/leading_double.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>
#include <string>

namespace trainwarden::leading_double_test {
namespace {

TEST(LeadingDouble, IsWhatFromCharsReads) {
  for (const std::string text : {"0",
                                 "-0",
                                 "1",
                                 "12.5",
                                 "-3e4",
                                 "1E+3",
                                 "2e-3",
                                 "1.",
                                 ".5",
                                 "1.2.3",
                                 "1-2",
                                 "7e",
                                 "7e+",
                                 "1e5x",
                                 "0x10",
                                 "3 ",
                                 "896.00",
                                 "1720000000.123",
                                 "2.2250738585072014e-308",
                                 "9007199254740993",
                                 "0.1000000000000000055511151231257827021181583404541015625"}) {
    double expected = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(error, std::errc()) << text;
    const LeadingDouble found = leading_double(text);
    EXPECT_EQ(found.value, expected) << text;
    EXPECT_EQ(std::signbit(found.value), std::signbit(expected)) << text;
    EXPECT_EQ(found.size, static_cast<std::size_t>(end - text.data())) << text;
  }
}

TEST(LeadingDouble, IsTheNearestOfAnyDigits) {
  std::mt19937_64 random(20260702);
  for (int i = 0; i < 2000; ++i) {
    std::string text = std::to_string(random()) + "." + std::to_string(random()) + "e" +
                       std::to_string(static_cast<int>(random() % 500) - 250);
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    EXPECT_EQ(leading_double(text).value, expected) << text;
  }
}

TEST(LeadingDouble, TakesNoWordsBlanksOrPlus) {
  for (const char* text :
       {"", "-", "+1", " 1", "inf", "nan", "-inf", "INFINITY", "x1", "e5", "\t2", "."})
    EXPECT_EQ(leading_double(text).size, 0U) << text;
}

TEST(LeadingDouble, TooLargeIsInfiniteAndTooSmallIsNothing) {
  EXPECT_TRUE(std::isinf(leading_double("1e999").value));
  EXPECT_EQ(leading_double("1e-999").value, 0.0);
  EXPECT_EQ(leading_double("1e-999").size, 6U);
  EXPECT_EQ(leading_double(std::string(100, '1') + "e-99").size, 104U);
}

}  // namespace
}  // namespace trainwarden::leading_double_test
