// Five calls a second to a service, by when they reached it and not by when they were sent.
#include "awsapi/pace.h"

#include <gtest/gtest.h>

#include <chrono>

namespace trainwarden::aws::pace_test {
namespace {

using std::chrono::milliseconds;

constexpr ServiceId kService = ServiceId::kSageMaker;
constexpr ServiceId kOther = ServiceId::kCloudWatch;

class PaceTest : public ::testing::Test {
 protected:
  static Pace::Instant at(int milliseconds_after) {
    return Pace::Instant(std::chrono::hours(1)) + milliseconds(milliseconds_after);
  }
  // One call, and its answer.
  void call(int sent, int after, ServiceId service = kService) {
    pace_.took(service, 1, at(sent));
    pace_.answered(service, 1, at(sent), milliseconds(after));
  }
  // When the next may begin, in ms after the first at 0.
  auto next(std::size_t calls = 1, ServiceId service = kService) const {
    return std::chrono::ceil<milliseconds>(pace_.ready(service, calls) - at(0)).count();
  }
  bool is_free(std::size_t calls, ServiceId service = kService) const {
    return pace_.ready(service, calls) == Pace::Instant::min();
  }

  Pace pace_;
};

TEST_F(PaceTest, FiveBeginAtOnceAndTheSixthASecondAfterTheFirst) {
  EXPECT_TRUE(is_free(5));
  for (int i = 0; i < 4; ++i) {
    call(i * 80, 75);
    EXPECT_TRUE(is_free(1));
  }
  EXPECT_GE(next(2), 1000) << "the fifth begins now, the sixth with it";
  call(320, 75);
  EXPECT_FALSE(is_free(1));
  EXPECT_GE(next(), 1000);
  EXPECT_LE(next(), 1100);
  EXPECT_TRUE(is_free(5, kOther));
}

// Of the first nothing is known, and it opens a connection.
TEST_F(PaceTest, TheFirstMayHaveComeAsLateAsItsAnswer) {
  for (int i = 0; i < 5; ++i) call(i * 300, i == 0 ? 250 : 75);
  EXPECT_GE(next(), 250 + 1000);
}

TEST_F(PaceTest, ACallThatTookLongerThanTheQuickestMayHaveComeLater) {
  call(-300, 75);
  call(0, 75 + 400);
  for (int i = 1; i < 5; ++i) call(500 + i * 80, 75);
  EXPECT_GE(next(), 400 + 1000);
  EXPECT_LE(next(), 400 + 1050);
}

TEST_F(PaceTest, CallsThatAllTakeTheirTimeAreOnTime) {
  call(-3000, 750);
  for (int i = 0; i < 5; ++i) call(i * 760, 750);
  EXPECT_LE(next(), 1050);
}

TEST_F(PaceTest, OfThoseThatWentOutTogetherAllMayBeLate) {
  call(-300, 75);
  pace_.took(kService, 3, at(0));
  pace_.answered(kService, 3, at(0), milliseconds(75 + 200));
  call(300, 75);
  EXPECT_GE(next(2), 200 + 1000);
  EXPECT_LT(next(), 1000) << "the call before them was not";
}

// It may have reached the service, and when is anybody's guess.
TEST_F(PaceTest, ACallWithoutAnAnswerTellsNothingOfTheQuickest) {
  call(-3000, 75);
  pace_.took(kService, 1, at(0));
  pace_.reached_by(kService, 1, at(2));
  for (int i = 1; i < 5; ++i) call(i * 80, 75);
  EXPECT_GE(next(), 2 + 1000);
  call(1100, 75);
  EXPECT_LE(next(), 80 + 1050) << "those took no longer than ever";
}

}  // namespace
}  // namespace trainwarden::aws::pace_test
