#include "handlers/rules/alarms/witness.h"

#include <gtest/gtest.h>

namespace trainwarden::rules::witness_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

sys_seconds minute(int n) { return sys_seconds(minutes(n)); }

bool covered(const std::vector<int>& at, int begin = 0, int end = 30, int period = 60) {
  std::vector<Datapoint> series;
  for (const int n : at) series.push_back({minute(n), 1});
  return covers(series, seconds(period), {minute(begin), minute(end)});
}

TEST(Witness, W4_AWitnessSpeaksAllTheWhile) {
  EXPECT_TRUE(covered({0, 5, 10, 15, 20, 25}));
  EXPECT_TRUE(covered({25, 0, 15}));
  EXPECT_TRUE(covered({14}));
  EXPECT_TRUE(covered({0, 10, 20}, 0, 30, 600));
}

// An outage begins or ends within the silence, and what came before or after it is no witness.
TEST(Witness, W4_OneThatSpeaksAtTheEdgesIsNone) {
  EXPECT_FALSE(covered({}));
  EXPECT_FALSE(covered({28, 29}));
  EXPECT_FALSE(covered({0, 1, 2}));
  EXPECT_FALSE(covered({0, 1, 28, 29}));
  EXPECT_FALSE(covered({-5, 31, 40}));
}

TEST(Witness, W4_AShortSilenceNeedsOneDatapoint) {
  EXPECT_TRUE(covered({1}, 0, 5));
  EXPECT_FALSE(covered({-1, 5}, 0, 5));
}

TEST(Witness, W4_TheLiteralOfAnExpressionIsInAllThatItFinds) {
  EXPECT_EQ(literal_of("loss: ([0-9\\.]+)"), "loss: ");
  EXPECT_EQ(literal_of("\\[step\\] train_loss=(.*?);"), "[step] train_loss=");
  EXPECT_EQ(literal_of(".*epoch \\d+ val_accuracy: (\\S+)"), " val_accuracy: ");
  EXPECT_EQ(literal_of("colou?r (\\d+)"), "colo");
  EXPECT_EQ(literal_of("ab{0,2}c=(\\d)"), "c=");
  EXPECT_EQ(literal_of("(?P<n>x) loss ([^]]*)"), "");
  EXPECT_EQ(literal_of("loss[^ ]*=(\\d)"), "loss");
}

TEST(Witness, W4_WhereItCannotBeToldForSureThereIsNone) {
  for (const char* const expression :
       {"", "([0-9.]+)", "loss: (\\d+)|error: (\\d+)", "(?i)loss: (\\d+)", "(?i:loss): (\\d+)",
        "\\Qloss\\E: (\\d+)", "\\x6coss: (\\d+)", "loss[[:space:]](\\d+)", "loss: (", "loss: [",
        "loss\\"})
    EXPECT_EQ(literal_of(expression), "") << expression;
}

}  // namespace
}  // namespace trainwarden::rules::witness_test
