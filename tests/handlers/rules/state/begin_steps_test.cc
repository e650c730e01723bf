#include "handlers/rules/state/begin_steps.h"

#include <gtest/gtest.h>

namespace trainwarden::rules::begin_steps_test {
namespace {

using Status = ObservedJob::Status;

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'600)};
sys_seconds at(int seconds) { return kNow + std::chrono::seconds(seconds); }

const StopOrder kIdle{.rule = "idle", .why = "no GPU in use"};
const RestartOrder kSlow{.rule = "slow", .why = "half the throughput", .spot = false};
const ObservedJob kRuns{};

RestartDecision begun(JobItem& item, const RestartOrder& order, sys_seconds now,
                      std::string_view attempt = "a") {
  auto step = begin_restart(std::move(item), order, attempt, kRuns, now);
  item = std::move(step.next);
  return step.decision;
}

StopDecision stopped(JobItem& item, sys_seconds now, const StopOrder& order = kIdle) {
  auto step = begin_stop(std::move(item), order, now);
  item = std::move(step.next);
  return step.decision;
}

TEST(BeginStop, A1_IsWrittenOnceAndKeptByRepeats) {
  JobItem item;
  EXPECT_EQ(stopped(item, at(0)), StopDecision::kStop);
  const JobItem first = item;
  EXPECT_EQ(first.stop, (StopRecord{.rule = "idle", .why = "no GPU in use", .at = at(0)}));
  EXPECT_EQ(stopped(item, at(60), {.rule = "other"}), StopDecision::kStop);
  EXPECT_EQ(item, first);
  item = stop_accepted(std::move(item), kIdle, at(61));
  EXPECT_TRUE(item.stop->accepted);
  EXPECT_EQ(stopped(item, at(9000)), StopDecision::kStop);
  EXPECT_EQ(item.stop->at, at(0));
}

// Else a stop that came late would explain no Stopping any more.
TEST(BeginStop, A1_OneThatNobodyAcceptedIsBegunAnewAfterFiveMinutes) {
  JobItem item;
  stopped(item, at(0));
  stopped(item, at(299));
  EXPECT_EQ(item.stop->at, at(0));
  stopped(item, at(300));
  EXPECT_EQ(item.stop->at, at(300));
}

TEST(BeginStop, A1_ComesTooLateBesideACopy) {
  JobItem item;
  item.copy = CopyRecord{.name = "c", .at = at(0)};
  const JobItem before = item;
  EXPECT_EQ(stopped(item, at(1)), StopDecision::kCopyUnderWay);
  EXPECT_EQ(item, before);
}

// A policy may not have spread yet: tried again after 5 minutes, 30 minutes, 4 hours, then daily.
TEST(BeginStop, A1_Issue39_5_AStopThatWasDeniedIsTriedAgainLaterAndLater) {
  JobItem item;
  int now = 0;
  for (const int after : {300, 1800, 14'400, 86'400, 86'400}) {
    EXPECT_EQ(stopped(item, at(now)), StopDecision::kStop);
    item = stop_refused(std::move(item), "AccessDeniedException", at(now));
    EXPECT_FALSE(item.stop);
    EXPECT_EQ(refused_until(*item.refused), at(now + after));
    EXPECT_TRUE(is_refused_now(item, at(now + after - 1)));
    EXPECT_EQ(stopped(item, at(now + after - 1)), StopDecision::kRefusedNow);
    EXPECT_EQ(begun(item, kSlow, at(now + after - 1)), RestartDecision::kRefusedNow);
    EXPECT_FALSE(is_refused_now(item, at(now + after)));
    now += after;
  }
}

TEST(BeginStop, A1_Issue39_5_DenialsOfAttemptsThatBeganTogetherCountOnce) {
  JobItem item;
  for (int i = 0; i < 5; ++i) item = stop_refused(std::move(item), "AccessDenied", at(i));
  EXPECT_EQ(item.refused->times, 1);
  EXPECT_EQ(refused_until(*item.refused), at(304));
}

TEST(BeginStop, A1_OneDeliverysDenialDoesNotUndoAnothersStop) {
  JobItem item;
  stopped(item, at(0));
  const JobItem accepted =
      stop_refused(stop_accepted(item, kIdle, at(1)), "AccessDeniedException", at(2));
  EXPECT_TRUE(accepted.stop && accepted.stop->accepted);
  const JobItem late =
      stop_accepted(stop_refused(item, "AccessDeniedException", at(1)), kIdle, at(2));
  EXPECT_TRUE(late.stop && late.stop->accepted);
}

TEST(StopCounts, P4_IfAcceptedOrIfStoppingBeganWithinTenMinutes) {
  struct Case {
    bool accepted;
    Status status;
    std::optional<int> stopping;
    int now;
    bool counts;
  };
  const Case cases[] = {
      {true, Status::kRuns, {}, 9000, true},
      {true, Status::kStopped, -500, 9000, true},
      {false, Status::kStopped, 0, 9000, true},
      {false, Status::kStopped, 600, 9000, true},
      {false, Status::kStopped, 601, 9000, false},
      // Clocks differ by a second or two.
      {false, Status::kStopped, -2, 9000, true},
      {false, Status::kStopped, -3, 9000, false},
      {false, Status::kStopping, 5, 6, true},
      // It may be about to be stopped.
      {false, Status::kRuns, {}, 600, true},
      {false, Status::kRuns, {}, 601, false},
      // It ended of itself, and cannot be stopped any more.
      {false, Status::kFailed, {}, 5, false},
      {false, Status::kFailed, 5, 6, true},
  };
  for (const Case& c : cases) {
    JobItem item;
    item.stop = StopRecord{.rule = "idle", .at = at(0), .accepted = c.accepted};
    ObservedJob job{.status = c.status};
    if (c.stopping) job.stopping = at(*c.stopping);
    EXPECT_EQ(stop_counts(item, job, at(c.now)), c.counts) << &c - cases;
  }
  EXPECT_FALSE(stop_counts({}, {.status = Status::kStopped, .stopping = at(0)}, at(1)));
}

TEST(BeginRestart, A2_IsRememberedWithItsOptions) {
  JobItem item;
  EXPECT_EQ(begun(item, kSlow, at(0)), RestartDecision::kStop);
  EXPECT_EQ(item.restart, (RestartRecord{.rule = "slow",
                                         .why = "half the throughput",
                                         .at = at(0),
                                         .attempts = {"a"},
                                         .spot = false}));
  item = restart_accepted(std::move(item), kSlow, at(1));
  EXPECT_TRUE(item.restart->accepted);
  EXPECT_EQ(item.restart->at, at(0));
  EXPECT_EQ(begun(item, kSlow, at(2), "b"), RestartDecision::kAcceptedBefore);
}

TEST(BeginRestart, A2_TheSameGoesOnAndAnotherWaits) {
  JobItem item;
  begun(item, kSlow, at(0));
  EXPECT_EQ(begun(item, kSlow, at(299), "b"), RestartDecision::kStop);
  EXPECT_EQ(item.restart->at, at(0));
  for (const RestartOrder& other :
       {RestartOrder{.rule = "other", .spot = false}, RestartOrder{.rule = "slow", .spot = true},
        RestartOrder{.rule = "slow", .spot = false, .types = {"ml.p5.48xlarge"}},
        RestartOrder{.rule = "slow", .spot = false, .settings = {.instance_count = 1}}}) {
    JobItem before = item;
    EXPECT_EQ(begun(before, other, at(299), "c"), RestartDecision::kAnotherBegun);
    EXPECT_EQ(before, item);
  }
  EXPECT_EQ(begun(item, {.rule = "other"}, at(300), "c"), RestartDecision::kStop);
  EXPECT_EQ(item.restart->rule, "other");
  EXPECT_EQ(item.restart->at, at(300));
  EXPECT_EQ(item.restart->attempts, (std::vector<std::string>{"c"}));
}

TEST(BeginRestart, P4_NotBesideAStopThatCountsNorACopy) {
  JobItem item;
  stopped(item, at(0));
  JobItem before = item;
  EXPECT_EQ(begun(item, kSlow, at(1)), RestartDecision::kStoppedForGood);
  EXPECT_EQ(item, before);
  // The function died before its stop, and the job runs on.
  EXPECT_EQ(begun(item, kSlow, at(601)), RestartDecision::kStop);
  EXPECT_FALSE(item.stop);
  JobItem copied;
  copied.copy = CopyRecord{.name = "c", .at = at(0), .made = true};
  before = copied;
  EXPECT_EQ(begun(copied, kSlow, at(1)), RestartDecision::kCopied);
  EXPECT_EQ(copied, before);
  JobItem ended;
  ended.closed = ClosedRecord{.at = at(0), .why = Closed::kOverdue};
  EXPECT_EQ(begun(ended, kSlow, at(1)), RestartDecision::kClosedForGood);
}

TEST(RestartNotDone, A2_ClosesAndTheNextDeliveryBeginsAnew) {
  for (const Closed why :
       {Closed::kThrottled, Closed::kDenied, Closed::kConflict, Closed::kNoLongerAsked}) {
    JobItem item;
    begun(item, kSlow, at(0));
    item = restart_not_done(std::move(item), "a", why, at(1));
    EXPECT_EQ(item.closed, (ClosedRecord{.at = at(1), .why = why}));
    // The write's answer was lost, and the step is asked again.
    EXPECT_EQ(restart_not_done(item, "a", why, at(2)), item);
    EXPECT_EQ(begun(item, kSlow, at(3), "b"), RestartDecision::kStop);
    EXPECT_FALSE(item.closed);
    EXPECT_EQ(item.restart->at, at(3));
    // The first delivery's late word is not about this one.
    EXPECT_EQ(restart_not_done(item, "a", why, at(4)), item);
  }
}

TEST(RestartNotDone, A2_DoesNotCloseWhatAnotherAttemptMayHaveDone) {
  JobItem item;
  begun(item, kSlow, at(0), "a");
  begun(item, kSlow, at(1), "b");
  item = restart_not_done(std::move(item), "a", Closed::kThrottled, at(2));
  EXPECT_FALSE(item.closed);
  const JobItem accepted = restart_accepted(item, kSlow, at(3));
  EXPECT_TRUE(accepted.restart->accepted);
  EXPECT_EQ(restart_not_done(accepted, "b", Closed::kConflict, at(4)).closed, std::nullopt);
  item = restart_not_done(std::move(item), "b", Closed::kThrottled, at(3));
  EXPECT_TRUE(item.closed);
}

TEST(RestartAccepted, A2_OutweighsWhatAnotherDeliveryClosed) {
  JobItem item;
  begun(item, kSlow, at(0));
  const JobItem denied = restart_denied(item, "a", "AccessDeniedException", at(1));
  EXPECT_EQ(denied.closed, (ClosedRecord{.at = at(1), .why = Closed::kDenied}));
  EXPECT_TRUE(denied.refused);
  const JobItem accepted = restart_accepted(denied, kSlow, at(2));
  EXPECT_FALSE(accepted.closed);
  EXPECT_TRUE(accepted.restart->accepted);
  JobItem ended = item;
  ended.closed = ClosedRecord{.at = at(1), .why = Closed::kOverdue};
  EXPECT_EQ(restart_accepted(ended, kSlow, at(2)), ended);
}

TEST(Why, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened(std::string(kLongestWhy - 1, 'x') + "ö"), std::string(kLongestWhy - 1, 'x'));
}

}  // namespace
}  // namespace trainwarden::rules::begin_steps_test
