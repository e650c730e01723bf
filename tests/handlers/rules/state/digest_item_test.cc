// policy.md A9: what is told at once, what is gathered, and when a digest is sent.
#include "handlers/rules/state/digest_item.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules::test::digest_item_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sys_seconds kNow{seconds(1'783'000'213)};
constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:people";

Reason limit(Why why = Why::kStopsPerHour, std::int64_t number = 20) {
  return {.why = why, .number = number, .limit = 20};
}

GatheredNotice idle(const std::string& job, const std::string& rule = "idle") {
  return {.job = job, .key = rule, .rule = rule, .subject = "Trainwarden: " + job + " is idle"};
}

GatheredNotice of_role(const std::string& role, const std::string& job, const std::string& rule) {
  GatheredNotice out = idle(job, rule);
  out.role = role;
  return out;
}

// As somebody would use it: an item that changes.
struct Topic {
  DigestItem item = {};

  bool limit_at_once(const Reason& held, sys_seconds now) {
    auto step = gather_limit(item, kTopic, held, now);
    item = std::move(step.next);
    return step.decision;
  }
  bool notice_at_once(const GatheredNotice& notice, sys_seconds now) {
    auto step = gather_notice(item, kTopic, notice, now);
    item = std::move(step.next);
    return step.decision;
  }
  std::optional<Digest> claim(sys_seconds now, std::string_view by = "sweep-1") {
    auto step = claim_digest(item, by, now);
    item = std::move(step.next);
    return std::move(step.decision);
  }
};

TEST(DigestItem, A9_TheFirstLimitIsToldAtOnceAndTheNextWithTheDigest) {
  Topic people;
  EXPECT_TRUE(people.limit_at_once(limit(), kNow));
  EXPECT_FALSE(people.claim(kNow + hours(2)));  // nothing is gathered
  EXPECT_FALSE(people.limit_at_once(limit(Why::kStopsPerSweep, 7), kNow + minutes(5)));
  EXPECT_FALSE(people.limit_at_once(limit(Why::kRestartsPerHour), kNow + minutes(9)));
  EXPECT_FALSE(people.limit_at_once(limit(Why::kStopsPerSweep, 9), kNow + minutes(20)));
  EXPECT_FALSE(people.claim(kNow + minutes(59)));
  const auto digest = people.claim(kNow + minutes(60));
  ASSERT_TRUE(digest);
  ASSERT_EQ(digest->limits.size(), 2U);
  EXPECT_EQ(digest->limits.at(Why::kStopsPerSweep).number, 9);  // the newest
  EXPECT_EQ(digest->limits.at(Why::kStopsPerSweep).at, kNow + minutes(20));
}

TEST(DigestItem, A9_AfterADigestAnHourBegins) {
  Topic people;
  people.limit_at_once(limit(), kNow);
  people.limit_at_once(limit(), kNow + minutes(1));
  const auto digest = people.claim(kNow + minutes(70));
  ASSERT_TRUE(digest);
  people.item = digest_sent(std::move(people.item), *digest, kNow + minutes(70));
  EXPECT_FALSE(digest_due(people.item));
  EXPECT_FALSE(people.limit_at_once(limit(), kNow + minutes(80)));
  EXPECT_EQ(digest_due(people.item), kNow + minutes(130));
}

TEST(DigestItem, A9_AnHourWithoutAnythingEndsIt) {
  Topic people;
  people.limit_at_once(limit(), kNow);
  EXPECT_TRUE(people.limit_at_once(limit(), kNow + minutes(60)));
  EXPECT_TRUE(people.notice_at_once(idle("a"), kNow + hours(3)));
  EXPECT_FALSE(people.notice_at_once(idle("b"), kNow + hours(3)));
  EXPECT_TRUE(people.notice_at_once(idle("c"), kNow + hours(3)) == false);
}

// An alarm that went off again must not keep people from hearing of a limit.
TEST(DigestItem, A9_ALimitDoesNotWaitForAlarms) {
  Topic people;
  EXPECT_TRUE(people.notice_at_once(idle("a"), kNow));
  EXPECT_FALSE(people.notice_at_once(idle("b"), kNow + minutes(1)));
  EXPECT_TRUE(people.limit_at_once(limit(), kNow + minutes(2)));
  // And what was gathered waits no longer for it.
  EXPECT_EQ(digest_due(people.item), kNow + minutes(60));
}

// What is due goes out now: the limit goes with it.
TEST(DigestItem, A9_ALimitGoesWithADigestThatIsDue) {
  Topic people;
  people.notice_at_once(idle("a"), kNow);
  people.notice_at_once(idle("b"), kNow + minutes(1));
  EXPECT_FALSE(people.limit_at_once(limit(), kNow + minutes(75)));
  const auto digest = people.claim(kNow + minutes(75));
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->limits.size(), 1U);
  EXPECT_EQ(digest->again.size(), 1U);
}

TEST(DigestItem, A9_WhatIsGatheredMeanwhileStays) {
  Topic people;
  people.notice_at_once(idle("a"), kNow);
  people.notice_at_once(idle("b"), kNow + minutes(1));
  people.limit_at_once(limit(), kNow + minutes(1));
  people.limit_at_once(limit(), kNow + minutes(2));
  const auto digest = people.claim(kNow + minutes(60));
  ASSERT_TRUE(digest);
  people.notice_at_once(idle("c"), kNow + minutes(60));
  people.limit_at_once(limit(Why::kStopsPerHour, 21), kNow + minutes(60));
  people.item = digest_sent(std::move(people.item), *digest, kNow + minutes(61));
  ASSERT_EQ(people.item.gathered.again.size(), 1U);
  EXPECT_EQ(people.item.gathered.again[0].job, "c");
  ASSERT_EQ(people.item.gathered.limits.size(), 1U);
  EXPECT_EQ(people.item.gathered.limits.at(Why::kStopsPerHour).number, 21);
  EXPECT_EQ(digest_due(people.item), kNow + minutes(121));
}

TEST(DigestItem, A9_OneSendsItAndAnotherTakesItOverAfterTwoMinutes) {
  Topic people;
  people.limit_at_once(limit(), kNow);
  people.limit_at_once(limit(), kNow + minutes(1));
  EXPECT_TRUE(people.claim(kNow + minutes(60), "one"));
  EXPECT_FALSE(people.claim(kNow + minutes(61), "two"));
  EXPECT_TRUE(people.claim(kNow + minutes(62), "two"));
}

std::size_t lines_of(const DigestItem& item, const std::string& role, const std::string& job) {
  return static_cast<std::size_t>(
      std::ranges::count_if(item.gathered.again, [&](const GatheredNotice& one) {
        return one.role == role && (job.empty() || one.job == job);
      }));
}

// Fifty flapping jobs of one role, or fifty rules on one job, leave room for the others.
TEST(DigestItem, A9_EachRoleHasItsShareOfADigest) {
  Topic people;
  people.notice_at_once(idle("first"), kNow);
  for (int i = 0; i < 60; ++i)
    people.notice_at_once(of_role("mine", fmt::format("flaps-{}", i), "idle"), kNow);
  EXPECT_EQ(lines_of(people.item, "mine", ""), 50U);
  for (int i = 0; i < 3; ++i)
    for (const char* role : {"vision", "speech"})
      people.notice_at_once(of_role(role, fmt::format("{}-{}", role, i), "idle"),
                            kNow + minutes(1));
  EXPECT_EQ(lines_of(people.item, "vision", ""), 3U);
  EXPECT_EQ(lines_of(people.item, "speech", ""), 3U);
  EXPECT_EQ(lines_of(people.item, "mine", ""), 44U);
  EXPECT_EQ(people.item.gathered.left_out, 16);
  // It gets nothing back by flapping on, and others no more than it.
  for (int i = 100; i < 200; ++i)
    people.notice_at_once(of_role("mine", fmt::format("flaps-{}", i), "idle"), kNow + minutes(2));
  EXPECT_EQ(lines_of(people.item, "vision", ""), 3U);
  for (int i = 0; i < 100; ++i)
    people.notice_at_once(of_role("vision", fmt::format("more-{}", i), "idle"), kNow + minutes(3));
  EXPECT_EQ(lines_of(people.item, "mine", ""), 24U);
  EXPECT_EQ(lines_of(people.item, "vision", ""), 23U);
  EXPECT_EQ(lines_of(people.item, "speech", ""), 3U);
}

TEST(DigestItem, A9_OfARolesShareEachJobHasItsOwn) {
  Topic people;
  people.notice_at_once(idle("first"), kNow);
  for (int i = 0; i < 60; ++i)
    people.notice_at_once(of_role("mine", "flaps", fmt::format("rule-{}", i)), kNow);
  for (int i = 0; i < 5; ++i)
    people.notice_at_once(of_role("mine", fmt::format("job-{}", i), "idle"), kNow + minutes(1));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(lines_of(people.item, "mine", fmt::format("job-{}", i)), 1U);
  EXPECT_EQ(people.item.gathered.again.size(), kMostGathered);
  // The same once more changes nothing.
  const DigestItem before = people.item;
  people.notice_at_once(of_role("mine", "job-4", "idle"), kNow + minutes(1));
  EXPECT_EQ(people.item, before);
}

TEST(DigestItem, A9_WhereRoomIsShortEachRoleAndJobHasItsTurn) {
  Digest digest;
  for (const auto& [role, job] :
       {std::pair("mine", "a"), {"mine", "a"}, {"mine", "b"}, {"mine", "a"}, {"speech", "c"}})
    digest.again.push_back(of_role(role, job, std::to_string(digest.again.size())));
  std::string order;
  for (const GatheredNotice* const one : digest.in_turn()) order += one->rule;
  EXPECT_EQ(order, "04213");
}

TEST(DigestItem, A9_AThousandAlarmsAreFiftyLinesAndANumber) {
  Topic people;
  people.notice_at_once(idle("first"), kNow);
  for (int i = 0; i < 1000; ++i) people.notice_at_once(idle(fmt::format("job-{}", i)), kNow);
  EXPECT_EQ(people.item.gathered.again.size(), kMostGathered);
  EXPECT_EQ(people.item.gathered.left_out, 950);
  const auto digest = people.claim(kNow + hours(1));
  people.item = digest_sent(std::move(people.item), *digest, kNow + hours(1));
  EXPECT_TRUE(people.item.gathered.empty());
  EXPECT_EQ(people.item.gathered.left_out, 0);
}

TEST(DigestItem, A9_OfOneRuleAndJobTheNewestIsKept) {
  Topic people;
  people.notice_at_once(idle("first"), kNow);
  for (int minute = 1; minute < 4; ++minute)
    people.notice_at_once(idle("a"), kNow + minutes(minute));
  people.notice_at_once(idle("a", "disk"), kNow);
  ASSERT_EQ(people.item.gathered.again.size(), 2U);
  EXPECT_EQ(people.item.gathered.again[0].at, kNow + minutes(3));
}

TEST(DigestItem, A9_WhatCouldNotBePublishedAtOnceMayBeNext) {
  Topic people;
  EXPECT_TRUE(people.limit_at_once(limit(), kNow));
  people.item = not_told_at_once(std::move(people.item), kNow);
  EXPECT_TRUE(people.limit_at_once(limit(), kNow + minutes(15)));
  people.item = not_told_at_once(std::move(people.item), kNow);  // another's
  EXPECT_FALSE(people.limit_at_once(limit(), kNow + minutes(16)));
}

TEST(DigestItem, A9_WhatNobodyCouldSendForADayIsForgotten) {
  Topic people;
  people.notice_at_once(idle("a"), kNow);
  people.notice_at_once(idle("b"), kNow);
  EXPECT_TRUE(people.claim(kNow + hours(26)));
  EXPECT_FALSE(people.claim(kNow + hours(28)));
  EXPECT_TRUE(people.item.gathered.empty());
  EXPECT_FALSE(digest_due(people.item));
}

TEST(DigestItem, A9_ALongSubjectIsCutBetweenCharacters) {
  Topic people;
  people.notice_at_once(idle("a"), kNow);
  std::string subject;
  while (subject.size() < 300) subject += "ü";
  people.notice_at_once({.job = "b", .rule = "r", .subject = subject}, kNow);
  EXPECT_EQ(people.item.gathered.again[0].subject, subject.substr(0, kLongestSubject));
  people.notice_at_once({.job = "c", .rule = "r", .team = subject, .owner = "jo"}, kNow);
  EXPECT_EQ(people.item.gathered.again[1].team, subject.substr(0, kLongestGatheredTag));
  EXPECT_EQ(people.item.gathered.again[1].owner, "jo");
}

TEST(DigestItem, P8_ComesBackAsItWasWritten) {
  Topic people;
  for (int step = 0; step < 5; ++step) {
    const json::Document attributes = digest_attributes(people.item, kNow);
    const std::string id = digest_item_id(kTopic);
    const json::Document back = json::Document::build([&](json::Sink& out) {
      out.begin_object().member("id", id).member("v", 1).member("request", "r");
      for (const json::Member member : attributes.root().members())
        out.member(member.name, member.value);
      out.end_object();
    });
    const auto read = parse_digest_item(id, back.root());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->item, people.item) << step;
    if (step == 0) people.notice_at_once(idle("first"), kNow);
    if (step == 1) people.limit_at_once(limit(Why::kCopiesPerSweep), kNow + minutes(1));
    if (step == 2)
      for (const Why why : {Why::kStopsPerHour, Why::kSilentPerHour, Why::kRestartsPerHour,
                            Why::kStopsPerSweep, Why::kCopiesPerSweep})
        people.limit_at_once(limit(why), kNow + minutes(2));
    if (step == 3)
      for (int i = 0; i < 60; ++i)
        people.notice_at_once(idle(fmt::format("job-{}", i)), kNow + minutes(3) + seconds(i));
    if (step == 4) people.claim(kNow + hours(1));
  }
}

TEST(DigestItem, F1_WhatIsNoneOfOurItemsIsRefused) {
  const std::string id = digest_item_id(kTopic);
  for (const char* odd :
       {R"("sent":"yesterday")", R"("topic":1)", R"("limits":{"other":{}})", R"("more":1)"}) {
    const auto document = json::Document::parse(fmt::format(
        R"({{"id":"{}","v":1,"request":"r","form":1,"expires":1,"topic":"t","limits":{{}},)"
        R"("again":{{}},"left_out":0,{}}})",
        id, odd));
    if (!document) continue;  // a member given twice is no JSON of ours
    const auto read = parse_digest_item(id, document->root());
    ASSERT_FALSE(read) << odd;
    EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
  }
}

TEST(DigestItem, A9_EachTopicHasItsOwn) {
  EXPECT_NE(digest_item_id("arn:a"), digest_item_id("arn:b"));
}

}  // namespace
}  // namespace trainwarden::rules::test::digest_item_test
