// Where a sweep's lists stood, as the table keeps it.
#include "handlers/rules/state/cursor_item.h"

#include <gtest/gtest.h>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules::test::cursor_item_test {
namespace {

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'213)};

// As the table gives it back: with the members that writing adds.
json::Document given_back(const CursorItem& item) {
  const json::Document attributes = cursor_attributes(item, kNow);
  return json::Document::build([&](json::Sink& out) {
    out.begin_object().member("id", kCursorId).member("v", 1).member("request", "r");
    for (const json::Member member : attributes.root().members())
      out.member(member.name, member.value);
    out.end_object();
  });
}

TEST(CursorItem, S1_ComesBackAsItWasWritten) {
  for (const CursorItem& item :
       {CursorItem{}, CursorItem{.running = kNow}, CursorItem{.ended = kNow},
        CursorItem{.running = kNow, .ended = kNow}}) {
    const json::Document back = given_back(item);
    const auto read = parse_cursor_item(back.root());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->item, item);
  }
  EXPECT_EQ(parse_cursor_item(std::nullopt)->item, CursorItem());
}

TEST(CursorItem, F1_WhatIsNoneOfOurItemsIsRefused) {
  const auto odd = json::Document::parse(R"({"id":"sweep","v":1,"running":"yesterday"})");
  const auto read = parse_cursor_item(odd->root());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace trainwarden::rules::test::cursor_item_test
