// How long a client waits before it tries again.
#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "tests/awsapi/client_fixture.h"

namespace trainwarden::aws::retry_test {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, GrowsWithJitterAndIsCapped) {
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, {}), milliseconds(50));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 2, 1.0, {}), milliseconds(200));
  EXPECT_EQ(backoff(ErrorCode::kThrottled, 1, 0.5, {}), milliseconds(1000));
  EXPECT_EQ(backoff(ErrorCode::kThrottled, 30, 1.0, {}), milliseconds(20'000));
}

TEST(Backoff, AServicesWishIsHonouredWithinFiveSeconds) {
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(700)), milliseconds(700));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(60'000)), milliseconds(5050));
  EXPECT_EQ(backoff(ErrorCode::kServiceFault, 0, 1.0, milliseconds(1)), milliseconds(50));
}

}  // namespace
}  // namespace trainwarden::aws::retry_test
