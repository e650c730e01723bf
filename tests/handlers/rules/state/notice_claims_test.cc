#include "handlers/rules/state/notice_claims.h"

#include <gtest/gtest.h>

namespace trainwarden::rules::notice_claims_test {
namespace {

using Kind = NoticeDecision::Kind;

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'600)};
sys_seconds at(int seconds) { return kNow + std::chrono::seconds(seconds); }

NoticeDecision claim(JobItem& item, std::string_view by, int seconds,
                     std::string_view what = "what", std::string_view key = "key") {
  auto step = claim_notice(std::move(item), key, what, by, at(seconds));
  item = std::move(step.next);
  return step.decision;
}

TEST(NoticeClaims, A5_WhoClaimsANoticeTellsItOnce) {
  JobItem item;
  EXPECT_EQ(claim(item, "one", 0),
            (NoticeDecision{.kind = Kind::kPublish, .what = "what", .until = at(120)}));
  EXPECT_EQ(due_since(item), at(0));
  item = notice_done(std::move(item), "key");
  EXPECT_FALSE(due_since(item));
  EXPECT_EQ(item.notices.at("key").what, "");
  EXPECT_EQ(claim(item, "one", 1).kind, Kind::kNotifiedBefore);
  EXPECT_EQ(claim(item, "two", 9000).kind, Kind::kNotifiedBefore);
}

TEST(NoticeClaims, A5_AFreshClaimOfAnotherIsNeverSuccess) {
  JobItem item;
  claim(item, "one", 0);
  const JobItem before = item;
  EXPECT_EQ(claim(item, "two", 119),
            (NoticeDecision{.kind = Kind::kUnavailable, .until = at(120)}));
  EXPECT_EQ(item, before);
}

TEST(NoticeClaims, A5_AClaimOfTwoMinutesIsTakenOverWithWhatItTells) {
  JobItem item;
  claim(item, "one", 0, "three interruptions");
  EXPECT_TRUE(pending_notices(item, "two", at(119)).empty());
  EXPECT_EQ(pending_notices(item, "two", at(120)), (std::vector<std::string>{"key"}));
  const auto taken = claim(item, "two", 120, "four interruptions");
  EXPECT_EQ(taken.kind, Kind::kPublish);
  EXPECT_EQ(taken.what, "three interruptions");
  EXPECT_EQ(taken.until, at(240));
  // And the first, if it was only slow, is not to publish any more.
  EXPECT_EQ(claim(item, "one", 121).kind, Kind::kUnavailable);
}

NoticeDecision claim_of_alarm(JobItem& item, std::string_view by, int since, int seconds) {
  auto step = claim_alarm_notice(std::move(item), "key", "what", by, at(since), at(seconds));
  item = std::move(step.next);
  return step.decision;
}

TEST(NoticeClaims, A5_AnAlarmThatGoesOffAnewIsToldOfAnewAfterAnHour) {
  constexpr int kDay = 86'400;
  JobItem item;
  EXPECT_EQ(claim_of_alarm(item, "one", 0, 10).kind, Kind::kPublish);
  EXPECT_EQ(item.notices.at("key").since, at(0));
  item = notice_done(std::move(item), "key");
  // The same, however often and late it is said; one that is older by what another alarm told.
  EXPECT_EQ(claim_of_alarm(item, "two", 0, 20).kind, Kind::kNotifiedBefore);
  EXPECT_EQ(claim_of_alarm(item, "two", 0, 2 * kDay).kind, Kind::kNotifiedBefore);
  EXPECT_EQ(claim_of_alarm(item, "two", -60, 2 * kDay).kind, Kind::kNotifiedBefore);
  // Anew, within the hour and after it.
  EXPECT_EQ(claim_of_alarm(item, "two", 1800, 3609).kind, Kind::kNotifiedBefore);
  EXPECT_EQ(claim_of_alarm(item, "two", 1800, 3610).kind, Kind::kPublish);
  EXPECT_EQ(claim_of_alarm(item, "three", 1800, 3611).kind, Kind::kUnavailable);
  EXPECT_EQ(claim_of_alarm(item, "two", 1800, 3611).kind, Kind::kPublish);
  item = notice_done(std::move(item), "key");
  EXPECT_EQ(claim_of_alarm(item, "two", 1800, 3620).kind, Kind::kNotifiedBefore);
  EXPECT_EQ(item.notices.size(), 1U);
}

TEST(NoticeClaims, A5_WhoTakesTheClaimOfAnAlarmOverKeepsWhenItWentOff) {
  JobItem item;
  claim_of_alarm(item, "one", 0, 10);
  EXPECT_EQ(claim(item, "sweep", 200).kind, Kind::kPublish);
  item = notice_done(std::move(item), "key");
  EXPECT_EQ(item.notices.at("key").since, at(0));
  EXPECT_EQ(claim_of_alarm(item, "two", 0, 9000).kind, Kind::kNotifiedBefore);
}

TEST(NoticeClaims, A5_LambdasRetryGoesOnWithItsOwnClaim) {
  JobItem item;
  claim(item, "one", 0);
  EXPECT_EQ(pending_notices(item, "one", at(60)), (std::vector<std::string>{"key"}));
  EXPECT_EQ(claim(item, "one", 60).kind, Kind::kPublish);
}

// Who claimed it with what it tells of goes on to tell it: that is not written once more.
TEST(NoticeClaims, A5_OnesOwnFreshClaimIsNotClaimedAgain) {
  JobItem item;
  claim(item, "one", 0);
  const JobItem before = item;
  EXPECT_EQ(claim(item, "one", 59),
            (NoticeDecision{.kind = Kind::kPublish, .what = "what", .until = at(120)}));
  EXPECT_EQ(item, before);
  EXPECT_EQ(claim(item, "one", 60).until, at(180));
}

TEST(NoticeClaims, A5_EachKeyIsToldByItself) {
  JobItem item;
  claim(item, "one", 0);
  EXPECT_EQ(claim(item, "two", 1, "what", "other key").kind, Kind::kPublish);
  item = notice_done(std::move(item), "key");
  EXPECT_EQ(due_since(item), at(1));
  const JobItem before = item;
  EXPECT_EQ(notice_done(item, "unknown"), before);
}

TEST(NoticeClaims, A5_WhatIsTooLongIsToldByTheClaimantAlone) {
  JobItem item;
  EXPECT_EQ(claim(item, "one", 0, std::string(kLongestWhat, 'x')).what.size(), kLongestWhat);
  JobItem other;
  EXPECT_EQ(claim(other, "one", 0, std::string(kLongestWhat + 1, 'x')).what, "");
  EXPECT_EQ(claim(other, "two", 120).kind, Kind::kPublish);
}

}  // namespace
}  // namespace trainwarden::rules::notice_claims_test
