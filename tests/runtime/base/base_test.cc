#include <fmt/format.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/secret.h"
#include "runtime/base/strong.h"
#include "tests/support/env.h"

namespace trainwarden::base_test {
namespace {

struct ColourTag {
  static constexpr const char* kName = "colour";
  static std::string check(std::string_view text) { return text == "red" ? "" : "red"; }
};
struct ShapeTag : ColourTag {};
using Colour = Strong<ColourTag>;
using Shape = Strong<ShapeTag>;

static_assert(!fmt::is_formattable<Secret>::value, "a secret must not be printable");
static_assert(!std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_convertible_v<Colour, Shape> && !std::is_constructible_v<Shape, Colour>);
static_assert(!std::is_convertible_v<Colour, std::string>);

TEST(Strong, HoldsOnlyWhatItsCheckAllows) {
  EXPECT_EQ(Colour::parse("red")->str(), "red");
  EXPECT_EQ(Colour::parse("blue").error().message, "colour: expected red, found `blue`");
}

TEST(Strong, ShowsLittleOfALongValue) {
  EXPECT_LT(Colour::parse(std::string(10'000, 'x')).error().message.size(), 200U);
}

TEST(Environment, TellsNamesThatBeginAlikeApart) {
  const char* const entries[] = {"REGION",     "REGION_2=two", "REG=short", "=C:=odd",
                                 "REGION=one", "REGION=last",  nullptr};
  const Environment environment(entries);
  EXPECT_EQ(environment.get("REGION"), "one");
  EXPECT_EQ(environment.get("REGION_2"), "two");
  EXPECT_EQ(environment.get("REG"), "short");
  EXPECT_EQ(environment.get("REGI"), std::nullopt);
  EXPECT_EQ(environment.get("REGION_22"), std::nullopt);
  EXPECT_EQ(environment.get(std::string_view("REGION_2", 6)), "one");
}

TEST(Environment, ALongValueIsNotCutWithinACharacter) {
  for (const std::string_view character : {"x", "\u00f6", "\u20ac", "\U0001f525"}) {
    for (std::size_t before = 0; before < 4; ++before) {
      std::string value(before, 'a');
      while (value.size() < 300) value += character;
      const std::string message = malformed_variable("V", "a word", value).error().message;
      const std::size_t begin = message.find('`') + 1;
      const std::string shown = message.substr(begin, message.rfind('`') - begin);
      EXPECT_EQ((shown.size() - before) % character.size(), 0U) << shown;
      EXPECT_GT(shown.size(), 200 - character.size());
      EXPECT_LE(shown.size(), 200U);
    }
  }
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorCode::kInvalidInput, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  TRY(const int once, half(n));
  TRY(const int twice, half(once));
  return twice;
}

TEST(Result, TryTakesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(Error, TellsWhereItHappened) {
  EXPECT_EQ((Error{ErrorCode::kTls, "no"}.in("there").message), "there: no");
}

TEST(Error, OnlyWhatMayPassAloneIsRetryable) {
  for (const ErrorCode code : {ErrorCode::kConnection, ErrorCode::kTimeout, ErrorCode::kThrottled,
                               ErrorCode::kServiceFault})
    EXPECT_TRUE(retryable(code)) << name(code);
  for (const ErrorCode code : {ErrorCode::kTls, ErrorCode::kAccessDenied, ErrorCode::kNotFound,
                               ErrorCode::kDeadline, ErrorCode::kRejected})
    EXPECT_FALSE(retryable(code)) << name(code);
}

TEST(Environment, AnEmptyVariableIsUnset) {
  const testing::Env env{"A=1", "B=", "AB=2"};
  EXPECT_EQ(env().get("A"), "1");
  EXPECT_EQ(env().get("AB"), "2");
  EXPECT_EQ(env().get("B"), std::nullopt);
  EXPECT_EQ(env().get("C"), std::nullopt);
}

TEST(Environment, NamesWhatIsMissing) {
  const testing::Env env{};
  const auto missing = env().require("A", "a letter");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidConfig);
  EXPECT_EQ(missing.error().message, "environment variable A is not set: expected a letter");
}

}  // namespace
}  // namespace trainwarden::base_test
