#include "runtime/base/time.h"

#include <gtest/gtest.h>

namespace trainwarden::time_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr sys_seconds kSample{seconds(1783000213)};  // 2026-07-02T13:50:13Z, by `date -u -d @…`

TEST(Time, WritesRfc3339) { EXPECT_EQ(rfc3339(kSample), "2026-07-02T13:50:13Z"); }

TEST(Time, WritesMilliseconds) {
  EXPECT_EQ(rfc3339(sys_millis(kSample) + milliseconds(7)), "2026-07-02T13:50:13.007Z");
}

TEST(Time, WritesTimesBeforeTheEpoch) {
  EXPECT_EQ(rfc3339(sys_seconds(seconds(-1))), "1969-12-31T23:59:59Z");
  EXPECT_EQ(rfc3339(sys_millis(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(Time, WritesSignatureDates) { EXPECT_EQ(iso8601_basic(kSample), "20260702T135013Z"); }

TEST(Time, ReadsRfc3339InAllItsForms) {
  for (const char* text : {"2026-07-02T13:50:13Z", "2026-07-02t13:50:13z", "2026-07-02 13:50:13Z",
                           "2026-07-02T13:50:13.999Z", "2026-07-02T13:50:13.320+0000",
                           "2026-07-02T15:20:13+01:30", "2026-07-02T08:50:13-05:00"}) {
    const auto t = parse_rfc3339(text);
    ASSERT_TRUE(t) << text;
    EXPECT_EQ(*t, kSample) << text;
  }
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026-07-02", "2026-07-02T13:50Z", "2026-13-02T13:50:13Z", "2026-02-30T13:50:13Z",
        "2026-07-02T24:00:00Z", "2026-07-02T13:50:13", "2026-07-02T13:50:13.Z",
        "2026-07-02T13:50:13+5", "2026-07-02T13:50:13Zx", "1783000213"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Time, ReadsTheDateHeader) {
  EXPECT_EQ(parse_http_date("Thu, 02 Jul 2026 13:50:13 GMT"), kSample);
  for (const char* text : {"", "Thu, 02 Jul 2026 13:50:13 UTC", "Thursday, 02-Jul-26 13:50:13 GMT",
                           "Thu Jul  2 13:50:13 2026", "Thu, 02 ulA 2026 13:50:13 GMT",
                           "Thu, 32 Jul 2026 13:50:13 GMT", "Thu, 02 Jul 2026 25:50:13 GMT"})
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
}

TEST(Time, ReadsSecondsAndMilliseconds) {
  EXPECT_EQ(from_epoch(1783000213), kSample);
  EXPECT_EQ(from_epoch(1783000213.75), kSample);
  EXPECT_EQ(from_epoch(1783000213750), kSample);
}

TEST(Time, SurvivesNumbersThatAreNoTimes) {
  EXPECT_EQ(rfc3339(from_epoch(1e300)).substr(0, 5), "10000");
  EXPECT_LT(from_epoch(-1e300), sys_seconds(seconds(0)));
  EXPECT_LT(from_epoch(-__builtin_nan("")), sys_seconds(seconds(0)));
}

TEST(Deadline, TellsWhatIsLeft) {
  const auto now = Deadline::Clock::time_point(seconds(100));
  const Deadline deadline = Deadline::at(now + seconds(3));
  EXPECT_EQ(deadline.left(now), seconds(3));
  EXPECT_EQ(deadline.left(now + seconds(4)), seconds(0));
  EXPECT_EQ(deadline.before(seconds(1)).left(now), seconds(2));
}

TEST(Deadline, NeverStaysNever) {
  const auto now = Deadline::Clock::time_point(seconds(100));
  EXPECT_EQ(Deadline::never().left(now), milliseconds::max());
  EXPECT_TRUE(Deadline::never().before(seconds(1)).is_never());
}

}  // namespace
}  // namespace trainwarden::time_test
