#include "runtime/base/day.h"

#include <gtest/gtest.h>

namespace trainwarden::day_test {
namespace {

using std::chrono::seconds;

TEST(Day, IsThatOfUtc) {
  EXPECT_EQ(rfc3339_day(sys_seconds(seconds(1'782'950'399))), "2026-07-01");
  EXPECT_EQ(rfc3339_day(sys_seconds(seconds(1'782'950'400))), "2026-07-02");
}

TEST(Day, BeginsAtMidnight) {
  EXPECT_EQ(parse_rfc3339_day("2026-07-02"), sys_seconds(seconds(1'782'950'400)));
  for (const char* const text : {"", "2026-07-2", "2026-02-30", "02.07.2026", "2026-07-02T",
                                 "2026-07-02T13:50:13Z", "2026-07-02Z"})
    EXPECT_FALSE(parse_rfc3339_day(text)) << text;
}

}  // namespace
}  // namespace trainwarden::day_test
