// What a sweep leaves to the next, as the table keeps it.
#include "handlers/rules/state/sweep_item.h"

#include <gtest/gtest.h>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules::test::sweep_item_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sys_seconds kNow{seconds(1'783'000'213)};

// As the table gives it back: with the members that writing adds.
json::Document given_back(const SweepItem& item) {
  const json::Document attributes = sweep_attributes(item, kNow);
  return json::Document::build([&](json::Sink& out) {
    out.begin_object().member("id", kSweepId).member("v", 1).member("request", "r");
    for (const json::Member member : attributes.root().members())
      out.member(member.name, member.value);
    out.end_object();
  });
}

TEST(SweepItem, S1_ComesBackAsItWasWritten) {
  for (const SweepItem& item :
       {SweepItem{}, SweepItem{.running = kNow}, SweepItem{.ended = kNow},
        SweepItem{.running = kNow, .ended = kNow},
        SweepItem{
            .enforced = {{"0123456789abcdef", kNow}}, .confirmed = kNow, .denied = {"a", "b"}}}) {
    const json::Document back = given_back(item);
    const auto read = parse_sweep_item(back.root());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->item, item);
  }
  EXPECT_EQ(parse_sweep_item(std::nullopt)->item, SweepItem());
}

TEST(SweepItem, F1_WhatIsNoneOfOurItemsIsRefused) {
  const auto odd = json::Document::parse(R"({"id":"sweep","v":1,"running":"yesterday"})");
  const auto read = parse_sweep_item(odd->root());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
}

const std::vector<std::string> kRules = {"a", "b"};

TEST(SweepItem, P7_ARuleIsMatureADayAfterItWasFirstEnforced) {
  SweepItem item = confirm_enforced({}, kRules, kNow);
  EXPECT_FALSE(is_mature(item, "a", kNow + hours(24) - seconds(1)));
  EXPECT_TRUE(is_mature(item, "a", kNow + hours(24)));
  EXPECT_FALSE(is_mature(item, "c", kNow + hours(24)));
}

TEST(SweepItem, P7_ARuleThatWasEditedBeginsAnewAndNoOther) {
  SweepItem item = confirm_enforced({}, kRules, kNow);
  const std::vector<std::string> edited = {"a", "c"};
  item = confirm_enforced(std::move(item), edited, kNow + hours(20));
  EXPECT_TRUE(is_mature(item, "a", kNow + hours(24)));
  EXPECT_FALSE(is_mature(item, "c", kNow + hours(24)));
  // And so does one that comes back.
  item = confirm_enforced(std::move(item), kRules, kNow + hours(30));
  EXPECT_FALSE(is_mature(item, "b", kNow + hours(50)));
  EXPECT_TRUE(is_mature(item, "b", kNow + hours(54)));
}

// In observe and notify no sweep confirms it.
TEST(SweepItem, P7_ARuleThatNoSweepEnforcedForLongBeginsAnew) {
  SweepItem item = confirm_enforced({}, kRules, kNow);
  EXPECT_FALSE(is_mature(item, "a", kNow + hours(26)));
  item = confirm_enforced(std::move(item), kRules, kNow + hours(26));
  EXPECT_FALSE(is_mature(item, "a", kNow + hours(49)));
  EXPECT_TRUE(is_mature(item, "a", kNow + hours(50)));
}

TEST(SweepItem, P7_MostSweepsHaveNothingToWrite) {
  SweepItem item = confirm_enforced({}, kRules, kNow);
  int writes = 0;
  for (int quarter = 1; quarter <= 4 * 24; ++quarter) {
    const SweepItem before = item;
    item = confirm_enforced(std::move(item), kRules, kNow + minutes(15) * quarter);
    writes += item == before ? 0 : 1;
  }
  EXPECT_EQ(writes, 2);
  EXPECT_TRUE(is_mature(item, "a", kNow + hours(24)));
  EXPECT_EQ(confirm_enforced({}, {}, kNow), SweepItem());
}

}  // namespace
}  // namespace trainwarden::rules::test::sweep_item_test
