// Suggestions for misspelt names.
#include "handlers/rules/patterns/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace trainwarden::rules::nearest_test {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {"match", "unless", "actions", "message"};

TEST(Nearest, FindsWhatIsOneSlipAway) {
  for (std::string_view typo : {"mtach", "mach", "matchh", "watch", "MATCH", "m_atch"}) {
    EXPECT_EQ(nearest(typo, kKnown), "match") << typo;
  }
  EXPECT_EQ(nearest("action", kKnown), "actions");
  EXPECT_EQ(nearest("unles", kKnown), "unless");
}

TEST(Nearest, DoesNotGuessWildly) {
  for (std::string_view other : {"", "x", "colour", "messenger pigeon", "if"}) {
    EXPECT_EQ(nearest(other, kKnown), "") << other;
  }
  EXPECT_EQ(nearest(std::string(1U << 20U, 'm'), kKnown), "");
}

TEST(Nearest, ListsNames) {
  EXPECT_EQ(one_of(kKnown), "`match`, `unless`, `actions` or `message`");
  EXPECT_EQ(one_of(std::span(kKnown).first(1)), "`match`");
}

}  // namespace
}  // namespace trainwarden::rules::nearest_test
