// The times in tags (policy.md F15).
#include "handlers/rules/facts/until.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::until_test {
namespace {

struct Time {
  std::string_view value;
  std::string_view is;
};

constexpr Time kTimes[] = {
    {"2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"},
    {"2026-12-24t18:00:00z", "2026-12-24T18:00:00Z"},
    {"2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00Z"},
    {"2026-12-24T18:00:00-08:30", "2026-12-25T02:30:00Z"},
    {"2026-12-24T18:00:00-00:00", "2026-12-24T18:00:00Z"},
    {"2026-12-24T18:00:00.25Z", "2026-12-24T18:00:00Z"},
    {"2026-12-24T18:00:00.999999999+01:00", "2026-12-24T17:00:00Z"},
    {"2026-12-31T23:59:60Z", "2027-01-01T00:00:00Z"},
    // A date is its end, in UTC.
    {"2026-12-24", "2026-12-25T00:00:00Z"},
    {"2026-12-31", "2027-01-01T00:00:00Z"},
    {"2028-02-29", "2028-03-01T00:00:00Z"},
};

TEST(Until, F15_TheTwoFormsOfATime) {
  for (const Time& c : kTimes) {
    const auto found = time_of_tag(c.value);
    ASSERT_TRUE(found) << c.value;
    EXPECT_EQ(rfc3339(*found), c.is) << c.value;
  }
}

TEST(Until, F15_WhatHasAnotherFormIsNoTime) {
  for (const char* value : {"",
                            " ",
                            "1798135200",
                            "1798135200000",
                            "tomorrow",
                            "never",
                            "yes",
                            "7d",
                            "P7D",
                            "2026-12-24T18:00:00",         // nobody says where
                            "2026-12-24T18:00:00 Z",       //
                            "2026-12-24 18:00:00Z",        // a blank for the T
                            "2026-12-24_18:00:00Z",        //
                            "2026-12-24T18:00Z",           // no seconds
                            "2026-12-24T18Z",              //
                            "20261224T180000Z",            // the basic form
                            "20261224",                    //
                            "2026-12-24T18:00:00+0100",    // half of it
                            "2026-12-24T18:00:00+01",      //
                            "2026-12-24T18:00:00+24:00",   //
                            "2026-12-24T18:00:00+01:60",   //
                            "2026-12-24T18:00:00+01:00Z",  //
                            "2026-12-24T18:00:00Z+01:00",  //
                            "2026-12-24T18:00:00CET",      //
                            "2026-12-24T18:00:00.Z",       //
                            "2026-12-24T18:00:00,5Z",      //
                            "2026-12-24T24:00:00Z",        //
                            "2026-12-24T18:60:00Z",        //
                            "2026-12-24T18:00:61Z",        //
                            "2026-02-30T18:00:00Z",        //
                            "2026-02-30",                  //
                            "2026-02-29",                  //
                            "2026-13-01",                  //
                            "2026-00-10",                  //
                            "2026-12-00",                  //
                            "2026-12-4",                   //
                            "2026-1-24",                   //
                            "24.12.2026",                  //
                            "12/24/2026",                  //
                            "24-12-2026",                  //
                            " 2026-12-24",                 //
                            "2026-12-24 ",                 //
                            " 2026-12-24T18:00:00Z",       //
                            "2026-12-24T18:00:00Z ",       //
                            "+2026-12-24",                 //
                            "-2026-12-24T18:00:00Z",       //
                            "12026-12-24T18:00:00Z",       //
                            "2026-12-24T18:00:00Z or so",  //
                            "2026-12-24T-1:00:00Z",        //
                            "2026-W52-4",                  //
                            "2026-358",                    //
                            "２０２６-12-24"})             // digits that are none of ASCII's
    EXPECT_FALSE(time_of_tag(value)) << value;
}

std::string leaves(std::string_view tags, sys_seconds now = test::kNow) {
  Sources sources(test::running());
  sources.set(Source::kTags, test::doc(tags));
  const Facts facts = facts_from(sources, now);
  EXPECT_TRUE(facts.knows(Group::kUntil));
  std::string out;
  for (const Fields::Field& field : facts.fields(Group::kUntil).all())
    out += std::string(facts.fields(Group::kUntil).path(field)) + "=" + field.value.excerpt() + ";";
  return out;
}

// kNow is 2026-07-02T13:56:40Z.
TEST(Until, F15_SecondsFromNowAndNegativeOnceItHasPassed) {
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-02T13:56:41Z"})"), "keep-until=1;");
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-02T13:56:40Z"})"), "keep-until=0;");
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-02T13:56:39.9Z"})"), "keep-until=-1;");
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-02T15:56:40+02:00"})"), "keep-until=0;");
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-02"})"), "keep-until=36200;");
  EXPECT_EQ(leaves(R"({"keep-until": "2026-07-01"})"), "keep-until=-50200;");
}

TEST(Until, F15_WhatIsNoTimeIsAbsentAndNever0) {
  EXPECT_EQ(leaves(R"({"a": "1783000600", "b": "", "c": "soon", "d": "2026-07-02T14:00:00"})"), "");
  EXPECT_EQ(leaves("{}"), "");
  EXPECT_EQ(leaves(R"({"a": "later", "b.c": "2026-07-02T13:57:00Z", "e": 5, "f": null})"),
            "b.c=20;");
}

TEST(Until, F1_WithoutTagsTheGroupIsUnknownOrUnavailable) {
  Sources sources(test::running());
  EXPECT_EQ(facts_from(sources, test::kNow).lacking(Group::kUntil).names(), "tags");
  sources.set(Source::kDescribe, test::doc("{}"));
  EXPECT_FALSE(facts_from(sources, test::kNow).knows(Group::kUntil));
  sources.set_unavailable(Source::kTags, {ErrorCode::kAccessDenied, "not allowed"});
  EXPECT_FALSE(facts_from(sources, test::kNow).knows(Group::kUntil));
}

}  // namespace
}  // namespace trainwarden::rules::until_test
