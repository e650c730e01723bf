// policy.md A1: a stop with grace_seconds is announced, and done when its time is over.
#include "handlers/rules/state/grace_steps.h"

#include <gtest/gtest.h>

#include <utility>

#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/notice_claims.h"

namespace trainwarden::rules::grace_steps_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = GraceDecision::Kind;

class GraceStepsTest : public ::testing::Test {
 protected:
  static constexpr minutes kGrace{15};

  // The rule holds. An announcement is claimed with the step.
  GraceDecision decide(const std::string& by = "request-1") {
    const GraceOrder order{
        .rule = "idle", .notices = {"key"}, .until = now_ + grace_, .sweep_interval = interval_};
    auto step = decide_grace(item_, order, now_);
    item_ = std::move(step.next);
    if (step.decision.kind == Kind::kAnnounce)
      item_ = claim_notice(std::move(item_), "key", "text", by, now_).next;
    return step.decision;
  }
  void send() { item_ = notice_done(std::move(item_), "key"); }
  void confirm() { item_ = confirm_grace(std::move(item_), "idle", interval_, now_); }

  seconds grace_ = kGrace;
  seconds interval_ = kSweepInterval;

  sys_seconds now_{seconds(1'783'000'213)};
  JobItem item_;
};

TEST_F(GraceStepsTest, A1_AStopIsAnnouncedThenDone) {
  const sys_seconds until = now_ + kGrace;
  EXPECT_EQ(decide(), (GraceDecision{Kind::kAnnounce, until}));
  send();
  now_ += seconds(1);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kWait, until}));
  now_ = until - seconds(1);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kWait, until}));
  now_ = until;
  EXPECT_EQ(decide(), (GraceDecision{Kind::kOver, until}));
  // Until the stop is accepted, it is due.
  now_ += minutes(15);
  EXPECT_EQ(decide().kind, Kind::kOver);
  item_ = stop_accepted(std::move(item_), {"idle", "why"}, now_);
  EXPECT_TRUE(item_.graces.empty());
  // Another look, that is behind, still sees the job run.
  EXPECT_EQ(decide().kind, Kind::kOver);
  EXPECT_TRUE(item_.graces.empty());
}

TEST_F(GraceStepsTest, A1_WhatWasNotSentIsAnnouncedAnewWithANewTime) {
  decide();
  now_ += minutes(1);  // whoever claimed it may be about to send it
  EXPECT_EQ(decide("request-2").kind, Kind::kWait);
  now_ += kGrace;
  EXPECT_EQ(decide("request-2"), (GraceDecision{Kind::kAnnounce, now_ + kGrace}));
  EXPECT_EQ(item_.notices.at("key").claim.by, "request-2");
  send();
  now_ += kGrace;
  EXPECT_EQ(decide().kind, Kind::kOver);
}

TEST_F(GraceStepsTest, A1_ARuleThatCeasedToHoldIsAnnouncedAgain) {
  decide();
  send();
  now_ += minutes(5);
  item_ = end_grace(std::move(item_), "idle");
  EXPECT_TRUE(item_.notices.empty());
  EXPECT_FALSE(due_since(item_));
  now_ += minutes(20);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kAnnounce, now_ + kGrace}));
  EXPECT_FALSE(item_.notices.at("key").claim.done);
}

TEST_F(GraceStepsTest, A1_AnotherRulesGraceIsItsOwn) {
  decide();
  send();
  now_ += kGrace;
  EXPECT_EQ(decide_grace(item_, {"other", {}, now_ + kGrace}, now_).decision.kind, Kind::kAnnounce);
  item_ = end_grace(std::move(item_), "other");
  EXPECT_EQ(decide().kind, Kind::kOver);
}

TEST_F(GraceStepsTest, A1_WithoutATopicTheRecordAnnouncesIt) {
  const GraceOrder order{"idle", {}, now_ + kGrace};
  auto step = decide_grace(item_, order, now_);
  EXPECT_EQ(step.decision.kind, Kind::kAnnounce);
  EXPECT_EQ(decide_grace(step.next, order, now_ + kGrace).decision.kind, Kind::kOver);
}

TEST_F(GraceStepsTest, A1_WhatNoLookConfirmsForTwoIntervalsIsAnnouncedAnew) {
  decide();
  send();
  now_ += minutes(30);
  EXPECT_EQ(decide().kind, Kind::kOver);
  now_ += seconds(1);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kAnnounce, now_ + kGrace}));
  EXPECT_FALSE(item_.notices.at("key").claim.done);
}

TEST_F(GraceStepsTest, A1_AConfirmedAnnouncementCountsForTwoMoreIntervals) {
  grace_ = hours(2);
  const sys_seconds until = now_ + grace_;
  decide();
  send();
  while (now_ + minutes(15) < until) {
    now_ += minutes(15);
    EXPECT_EQ(decide(), (GraceDecision{Kind::kWait, until}));
    confirm();
  }
  now_ += minutes(30);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kOver, until}));
  now_ += seconds(1);
  EXPECT_EQ(decide().kind, Kind::kAnnounce);
}

TEST_F(GraceStepsTest, A1_AWaitThatNoLookConfirmsLapsesToo) {
  grace_ = hours(2);
  decide();
  send();
  now_ += minutes(31);
  EXPECT_EQ(decide(), (GraceDecision{Kind::kAnnounce, now_ + grace_}));
}

TEST_F(GraceStepsTest, A1_TheIntervalIsTheSchedulesAndAnInvocationAtLeast) {
  EXPECT_EQ(lapses_after(minutes(15)), minutes(30));
  EXPECT_EQ(lapses_after(hours(24)), hours(48));
  EXPECT_EQ(lapses_after(minutes(1)), minutes(15));
  interval_ = hours(6);
  decide();
  send();
  now_ += hours(12);
  EXPECT_EQ(decide().kind, Kind::kOver);
  now_ += seconds(1);
  EXPECT_EQ(decide().kind, Kind::kAnnounce);
}

// One write for each sweep at most, and none by a look at what has lapsed.
TEST_F(GraceStepsTest, A1_OnlyWhatWasNotConfirmedJustNowIsConfirmed) {
  EXPECT_FALSE(needs_confirming(item_, "idle", interval_, now_));
  decide();
  send();
  now_ += seconds(minutes(15)) * 3 / 4 - seconds(1);
  EXPECT_FALSE(needs_confirming(item_, "idle", interval_, now_));
  const JobItem before = item_;
  confirm();
  EXPECT_EQ(item_, before);
  now_ += seconds(1);
  EXPECT_TRUE(needs_confirming(item_, "idle", interval_, now_));
  EXPECT_FALSE(needs_confirming(item_, "other", interval_, now_));
  confirm();
  EXPECT_EQ(item_.graces.at("idle").confirmed, now_);
  EXPECT_FALSE(needs_confirming(item_, "idle", interval_, now_));
  now_ += minutes(31);
  EXPECT_FALSE(needs_confirming(item_, "idle", interval_, now_));
}

TEST_F(GraceStepsTest, A1_AnAnnouncementIsTimelyForHalfOfItsTime) {
  EXPECT_FALSE(is_timely(item_, "idle", now_));
  decide();
  EXPECT_TRUE(is_timely(item_, "idle", now_ + seconds(kGrace) / 2));
  EXPECT_FALSE(is_timely(item_, "idle", now_ + seconds(kGrace) / 2 + seconds(1)));
  EXPECT_FALSE(is_timely(item_, "other", now_));
}

TEST_F(GraceStepsTest, P8_TheItemIsDueWhenTheGraceEnds) {
  const sys_seconds until = now_ + kGrace;
  decide();
  send();
  EXPECT_EQ(due_since(item_), until);
}

}  // namespace
}  // namespace trainwarden::rules::grace_steps_test
