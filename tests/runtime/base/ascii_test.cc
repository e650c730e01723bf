#include "runtime/base/ascii.h"

#include <gtest/gtest.h>

namespace trainwarden::ascii_test {
namespace {

TEST(Ascii, LowersLettersOfAsciiAndNothingElse) {
  EXPECT_EQ(lower_case("aZ-09_[@\xc4"), "az-09_[@\xc4");
  EXPECT_EQ(lower_case(""), "");
}

TEST(Ascii, ComparesWithoutRegardToCase) {
  EXPECT_TRUE(equal_ignoring_case("Content-Type", "content-TYPE"));
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_FALSE(equal_ignoring_case("team", "teams"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));  // 32 apart, like A and a
}

TEST(Ascii, ABeginningMayBeTheWholeText) {
  EXPECT_TRUE(begins_ignoring_case("AWS:cloudformation", "aws:"));
  EXPECT_TRUE(begins_ignoring_case("aws:", "AWS:"));
  EXPECT_FALSE(begins_ignoring_case("aws", "aws:"));
  EXPECT_FALSE(begins_ignoring_case("my-aws:", "aws:"));
}

}  // namespace
}  // namespace trainwarden::ascii_test
