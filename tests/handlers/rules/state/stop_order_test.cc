// Which job a sweep stops next (policy.md P7).
#include "handlers/rules/state/stop_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace trainwarden::rules::stop_order_test {
namespace {

const std::vector<WaitingStop> kWaiting = {{.usd_per_hour = 1, .role = "poor"},
                                           {.usd_per_hour = 440, .role = "rich"},
                                           {.usd_per_hour = 900, .role = "rich", .denied = true},
                                           {.usd_per_hour = 50, .role = "rich"},
                                           {.usd_per_hour = 2, .role = "poor"}};

TEST(StopOrder, P7_TheDearestWhateverItsRole) {
  EXPECT_EQ(next_stop(kWaiting, Share::kDearest, {{"rich", 9}}), 1);
}

TEST(StopOrder, P7_TheRoleThatHasHadTheFewestAndItsDearest) {
  EXPECT_EQ(next_stop(kWaiting, Share::kTurn, {{"rich", 1}}), 4);
  EXPECT_EQ(next_stop(kWaiting, Share::kTurn, {{"rich", 1}, {"poor", 2}}), 1);
  EXPECT_EQ(next_stop(kWaiting, Share::kTurn, {}), 1);
}

TEST(StopOrder, P7_WhatWasDeniedBeforeComesLast) {
  const std::vector<WaitingStop> two = {kWaiting[2], kWaiting[0]};
  for (const Share share : {Share::kDearest, Share::kTurn})
    EXPECT_EQ(next_stop(two, share, {{"poor", 5}}), 1);
  EXPECT_EQ(next_stop(std::vector{kWaiting[2]}, Share::kTurn, {}), 0);
}

}  // namespace
}  // namespace trainwarden::rules::stop_order_test
