// policy.md A9: how a digest reads.
#include "handlers/rules/notices/digest_notice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::test::digest_notice_test {
namespace {

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'213)};  // 2026-07-02T13:50:13Z

Digest digest(std::size_t limits, std::size_t again) {
  Digest out;
  if (limits > 0)
    out.limits[Why::kStopsPerSweep] = {.name = "a, b", .number = 9, .limit = 5, .at = kNow};
  if (limits > 1) out.limits[Why::kRestartsPerHour] = {.number = 20, .limit = 20, .at = kNow};
  for (std::size_t i = 0; i < again; ++i)
    out.again.push_back({.job = "job-1",
                         .rule = "idle",
                         .subject = "Trainwarden: job-1 is idle (idle)",
                         .at = kNow});
  return out;
}

std::string title_of(std::size_t limits, std::size_t again) {
  return digest_notice(NoticeFormat::kText, digest(limits, again), {}).subject;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(DigestNotice, A9_ItsSubjectCounts) {
  EXPECT_EQ(title_of(1, 0), "Trainwarden: limits.stops_per_sweep is reached");
  EXPECT_EQ(title_of(2, 0), "Trainwarden: 2 limits are reached");
  EXPECT_EQ(title_of(0, 1), "Trainwarden: an alarm went off again");
  EXPECT_EQ(title_of(2, 3), "Trainwarden: 2 limits are reached, 3 alarms went off again");
  Digest many = digest(0, 1);
  many.left_out = 950;
  EXPECT_EQ(digest_notice(NoticeFormat::kText, many, {}).subject,
            "Trainwarden: 951 alarms went off again");
}

TEST(DigestNotice, A9_ItsTextSaysWhatAndWhatToDo) {
  Digest all = digest(2, 1);
  all.left_out = 4;
  const std::string text = digest_notice(NoticeFormat::kText, all, {}).message;
  for (const char* part :
       {"limits.stops_per_sweep is reached\nA sweep of Trainwarden would stop 9 jobs",
        "Among them: a, b.", "limits.restarts_per_hour is reached\n",
        "raise limits.restarts_per_hour in the policy",
        "Alarms that went off again:\n- 2026-07-02T13:50:13Z Trainwarden: job-1 is idle (idle)\n",
        "and 4 more, whose records are in the functions' log\n"})
    EXPECT_TRUE(holds(text, part)) << part << "\n" << text;
}

TEST(DigestNotice, A9_SubscribersCanTellItByItsAttributes) {
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;
  const auto lists = [](std::size_t limits, std::size_t again) {
    const Notice told = digest_notice(NoticeFormat::kText, digest(limits, again), {});
    EXPECT_EQ(told.attributes, (Attributes{{"outcome", "digest"}}));
    return told.lists;
  };
  EXPECT_EQ(lists(1, 2), (Lists{{"limit", {"stops_per_sweep"}}, {"rule", {"idle"}}}));
  EXPECT_EQ(lists(2, 0), (Lists{{"limit", {"restarts_per_hour", "stops_per_sweep"}}}));
  EXPECT_EQ(lists(0, 2), (Lists{{"rule", {"idle"}}}));
}

// An owner's filter policy finds a digest that tells of a job of theirs, whoever else is in it
// (A8).
TEST(DigestNotice, A9_ItHasTheTeamsAndOwnersOfItsJobs) {
  Digest all = digest(0, 4);
  all.again[0].owner = "zoë";
  all.again[1].owner = "jo";
  all.again[2].owner = "jo";
  all.again[2].team = "vision";
  const auto lists = digest_notice(NoticeFormat::kText, all, {}).lists;
  using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;
  EXPECT_EQ(lists, (Lists{{"rule", {"idle"}}, {"team", {"vision"}}, {"owner", {"jo", "zoë"}}}));
}

// What has no room in a chat's text is counted there.
TEST(DigestNotice, A9_AChatLosesNothingSilently) {
  for (const std::size_t limits : {0U, 1U, 2U, 5U}) {
    Digest all = digest(limits, 50);
    if (limits == 5)
      for (const Why why : {Why::kStopsPerHour, Why::kSilentPerHour, Why::kCopiesPerSweep})
        all.limits[why] = {.name = std::string(330, 'n'), .number = 20, .limit = 20, .at = kNow};
    for (GatheredNotice& one : all.again) one.subject = "<b>" + std::string(150, '`');
    all.left_out = 7;
    const json::Document read = doc(digest_notice(NoticeFormat::kChat, all, {}).message);
    const std::string text(read.root().find("content")->find("description")->as_string());
    std::size_t shown = 0;
    for (std::size_t at = text.find("\n- "); at != std::string::npos;
         at = text.find("\n- ", at + 1))
      ++shown;
    EXPECT_GE(shown, 1U) << limits;
    EXPECT_TRUE(text.ends_with(
        fmt::format("\nand {} more, whose records are in the functions' log\n", 57 - shown)))
        << text;
    EXPECT_EQ(text.find('<'), std::string::npos);
  }
}

TEST(DigestNotice, A9_AChatHasRoomForEachRole) {
  Digest all = digest(0, 50);
  for (GatheredNotice& one : all.again) {
    one.role = "mine";
    one.subject = std::string(150, 'x');
  }
  all.again.back().role = "speech";
  all.again.back().subject = "the other's";
  const std::string chat = digest_notice(NoticeFormat::kChat, all, {}).message;
  EXPECT_TRUE(holds(chat, "`the other's`")) << chat;
}

TEST(DigestNotice, A9_AsJsonItIsOneObject) {
  const Notice told = digest_notice(NoticeFormat::kJson, digest(1, 1), {});
  const json::Document read = doc(told.message);
  EXPECT_EQ(read.root().find("outcome")->as_string(), "digest");
  const json::Value held = *read.root().find("limits")->elements().begin();
  EXPECT_EQ(held.find("limit")->as_string(), "stops_per_sweep");
  EXPECT_EQ(held.find("value")->as_integer(), 5);
  EXPECT_EQ(held.find("counted")->as_integer(), 9);
  EXPECT_EQ(held.find("at")->as_string(), "2026-07-02T13:50:13Z");
  const json::Value again = *read.root().find("again")->elements().begin();
  EXPECT_EQ(again.find("job")->as_string(), "job-1");
  EXPECT_EQ(again.find("rule")->as_string(), "idle");
  EXPECT_EQ(read.root().find("left_out")->as_integer(), 0);
}

TEST(DigestNotice, A9_AsChatItIsACustomNotificationWithinItsLimits) {
  Digest many = digest(2, 50);
  const json::Document read = doc(digest_notice(NoticeFormat::kChat, many, {}).message);
  EXPECT_EQ(read.root().find("source")->as_string(), "custom");
  const json::Value content = *read.root().find("content");
  EXPECT_EQ(content.find("textType")->as_string(), "client-markdown");
  EXPECT_LE(content.find("description")->as_string().size(), 2900U);
  EXPECT_TRUE(holds(std::string(content.find("description")->as_string()), "\nlimits."));
}

TEST(DigestNotice, A5_WhatUsersWriteBeginsNoLineAndMentionsNobody) {
  Digest hostile = digest(0, 1);
  hostile.again[0].subject = "x\nRule: forged\u2028<!here> `y`";
  const std::string text = digest_notice(NoticeFormat::kText, hostile, {}).message;
  EXPECT_TRUE(holds(text, "x\\u000ARule: forged\\u2028<!here>")) << text;
  const std::string chat = digest_notice(NoticeFormat::kChat, hostile, {}).message;
  EXPECT_FALSE(holds(chat, "<!here>")) << chat;
  const json::Document json = doc(digest_notice(NoticeFormat::kJson, hostile, {}).message);
  EXPECT_FALSE(holds(
      std::string((*json.root().find("again")->elements().begin()).find("subject")->as_string()),
      "\n"));
}

}  // namespace
}  // namespace trainwarden::rules::test::digest_notice_test
