#include "handlers/rules/state/brake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainwarden::rules::brake_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sys_millis kNow{seconds(1'783'000'600)};

std::string job(int number) { return "job/train-" + std::to_string(number) + "/1"; }

BrakeDecision take(BrakeItem& item, const BrakeAsk& ask, const BrakeLimits& limits,
                   sys_millis now = kNow, std::string_view by = "request") {
  auto step = take_slots(std::move(item), ask, limits, now, by);
  item = std::move(step.next);
  return step.decision;
}

bool stops(BrakeItem& item, int number, std::int64_t limit, sys_millis now = kNow) {
  return take(item, {.who = job(number), .stop = true, .queued = true}, {.stops = limit}, now)
      .passes;
}

TEST(Brake, P7_LetsAsManyThroughAsTheLimitSays) {
  for (const std::int64_t limit : {0, 1, 20, 1000}) {
    BrakeItem item;
    int passed = 0;
    for (int i = 0; i < 1200; ++i)
      if (stops(item, i, limit)) ++passed;
    EXPECT_EQ(passed, limit);
  }
}

TEST(Brake, P7_KnowsNoLimitBeyondAThousandAndNoneBelowZero) {
  BrakeItem item;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(stops(item, i, 5000));
  EXPECT_FALSE(stops(item, 1000, 5000));
  BrakeItem none;
  EXPECT_FALSE(stops(none, 1, -1));
}

TEST(Brake, P7_AJobThatHasASlotPassesAndRenewsIt) {
  BrakeItem item;
  EXPECT_TRUE(stops(item, 1, 1));
  EXPECT_TRUE(stops(item, 1, 1, kNow + minutes(30)));
  EXPECT_FALSE(stops(item, 2, 1, kNow + minutes(61)));
  EXPECT_TRUE(stops(item, 2, 1, kNow + minutes(91)));
  // Nothing passes a limit of none.
  EXPECT_FALSE(stops(item, 2, 0, kNow + minutes(91)));
}

// Whose slot the version before took: one time, without a role or an attempt.
TEST(Brake, P7_ASlotOfTheVersionBeforeCountsForItsHour) {
  const auto taken_before = [] {
    BrakeItem item;
    item.copies[job(1)]["*"] = kNow;
    return item;
  };
  const auto copies = [](BrakeItem& item, int number, sys_millis now) {
    return take(item,
                {.who = job(number), .copy = true, .role = "role", .attempt = "a", .queued = true},
                {.restarts = 1}, now)
        .passes;
  };
  BrakeItem others = taken_before();
  EXPECT_FALSE(copies(others, 2, kNow + minutes(59)));
  EXPECT_TRUE(copies(others, 2, kNow + minutes(61)));
  // The same copy has its slot, counts once, and gives back no more than its own attempt.
  BrakeItem same = taken_before();
  EXPECT_TRUE(copies(same, 1, kNow + minutes(1)));
  EXPECT_EQ(same.copies.size(), 1U);
  same = give_back_copy(std::move(same),
                        {.who = job(1), .copy = true, .role = "role", .attempt = "a"});
  EXPECT_FALSE(copies(same, 2, kNow + minutes(2)));
  EXPECT_TRUE(copies(same, 2, kNow + minutes(61)));
}

TEST(Brake, P7_TheHourSlides) {
  BrakeItem item;
  EXPECT_TRUE(stops(item, 1, 2, kNow));
  EXPECT_TRUE(stops(item, 2, 2, kNow + minutes(40)));
  EXPECT_FALSE(stops(item, 3, 2, kNow + minutes(59)));
  // A stop may follow its slot by 15 seconds.
  EXPECT_FALSE(stops(item, 3, 2, kNow + hours(1) + milliseconds(14'999)));
  EXPECT_TRUE(stops(item, 3, 2, kNow + hours(1) + seconds(15)));
  EXPECT_FALSE(stops(item, 4, 2, kNow + minutes(90)));
  EXPECT_TRUE(stops(item, 4, 2, kNow + minutes(101)));
}

TEST(Brake, P7_AStopIsAskedForWithinFifteenSecondsOfItsSlot) {
  BrakeItem item;
  const auto decision = take(item, {.who = job(1), .stop = true}, {});
  EXPECT_TRUE(decision.passes);
  EXPECT_EQ(decision.until, kNow + seconds(15));
}

TEST(Brake, P7_AllSlotsOrNone) {
  BrakeItem item;
  const BrakeLimits limits{.stops = 5, .silent = 1, .restarts = 1};
  EXPECT_TRUE(
      take(item, {.who = job(1), .stop = true, .copy = true, .queued = true}, limits).passes);
  const auto held = take(item, {.who = job(2), .stop = true, .copy = true, .queued = true}, limits);
  EXPECT_FALSE(held.passes);
  EXPECT_EQ(held.held_by, HoldingLimit::kRestartsPerHour);
  EXPECT_EQ(held.limit, 1);
  EXPECT_EQ(held.counted, 1);
  EXPECT_FALSE(item.stops.contains(job(2)));
  EXPECT_TRUE(
      take(item, {.who = job(3), .stop = true, .silent = true, .queued = true}, limits).passes);
  EXPECT_EQ(
      take(item, {.who = job(4), .stop = true, .silent = true, .queued = true}, limits).held_by,
      HoldingLimit::kSilentPerHour);
  EXPECT_TRUE(take(item, {.who = job(4), .stop = true, .queued = true}, limits).passes);
  EXPECT_EQ(item.stops.size(), 3U);
}

TEST(Brake, P7_ATunerThatIsStoppedItselfIsOne) {
  BrakeItem item;
  const BrakeAsk tuner{.who = "tuner/tune/5", .stop = true};
  EXPECT_TRUE(take(item, tuner, {.stops = 1}).passes);
  EXPECT_TRUE(take(item, tuner, {.stops = 1}).passes);
  EXPECT_FALSE(stops(item, 1, 1));
}

TEST(Brake, P7_WhatIsHeldBackTakesNoSlotAndForgetsNone) {
  BrakeItem item;
  stops(item, 1, 1);
  const BrakeItem before = item;
  EXPECT_FALSE(stops(item, 2, 1));
  EXPECT_EQ(item.stops, before.stops);
}

TEST(Brake, P7_OperatorsHearOnceAnHourAndFromOne) {
  BrakeItem item;
  const auto held = [&](std::string_view by, sys_millis now) {
    return take(item, {.who = job(1), .stop = true}, {.stops = 0}, now, by).tell;
  };
  EXPECT_TRUE(held("one", kNow));
  // Its answer was lost, or Lambda tries again: it is still its own.
  EXPECT_TRUE(held("one", kNow + seconds(1)));
  EXPECT_FALSE(held("two", kNow + seconds(2)));
  // The first has died.
  EXPECT_TRUE(held("two", kNow + seconds(121)));
  item = operators_told(std::move(item), HoldingLimit::kStopsPerHour);
  EXPECT_FALSE(held("two", kNow + minutes(5)));
  EXPECT_FALSE(held("three", kNow + minutes(61)));
  EXPECT_TRUE(held("three", kNow + seconds(121) + hours(1)));
}

BrakeAsk by_event(int number, const std::string& role = "role") {
  return {.who = job(number), .stop = true, .role = role};
}
BrakeAsk by_sweep(int number, const std::string& role = "role") {
  return {.who = job(number), .stop = true, .role = role, .queued = true};
}

TEST(Brake, P7_Issue39_7_EventsTakeHalfOfAllAtMost) {
  for (const auto& [limit, events] : std::vector<std::pair<int, int>>{
           {0, 0}, {1, 1}, {2, 1}, {3, 1}, {5, 2}, {20, 10}, {1000, 500}}) {
    BrakeItem item;
    int passed = 0;
    for (int i = 0; i < 1100; ++i)
      passed += take(item, by_event(i), {.stops = limit}).passes ? 1 : 0;
    EXPECT_EQ(passed, events) << limit;
    // The rest is for sweeps, and they may have all of it.
    for (int i = 2000; i < 3100; ++i)
      passed += take(item, by_sweep(i), {.stops = limit}).passes ? 1 : 0;
    EXPECT_EQ(passed, limit);
    BrakeItem none;
    for (int i = 0; i < 1100; ++i) take(none, by_sweep(i), {.stops = limit});
    EXPECT_EQ(std::ssize(none.stops), limit);
  }
}

TEST(Brake, P7_Issue39_7_AnEventThatIsHeldHasNotReachedTheLimit) {
  BrakeItem item;
  EXPECT_TRUE(take(item, by_event(1), {.stops = 2}).passes);
  const BrakeDecision held = take(item, by_event(2), {.stops = 2});
  EXPECT_TRUE(held.waits_turn);
  EXPECT_FALSE(held.tell);
  // Whoever has a permit keeps it.
  EXPECT_TRUE(take(item, by_event(1), {.stops = 2}).passes);
}

// Of copies and of stops for silence, too.
TEST(Brake, P7_Issue39_7_EventsTakeHalfOfEachLimit) {
  BrakeItem item;
  int copies = 0;
  int silent = 0;
  for (int i = 0; i < 30; ++i) {
    const BrakeAsk copy{.who = job(i), .copy = true, .role = "r" + std::to_string(i)};
    copies += take(item, copy, {.restarts = 20}).passes ? 1 : 0;
    const BrakeAsk stop{.who = job(i), .stop = true, .silent = true};
    silent += take(item, stop, {.stops = 1000, .silent = 3}).passes ? 1 : 0;
  }
  EXPECT_EQ(copies, 10);
  EXPECT_EQ(silent, 1);
}

// A limit of 1 has no half. Its permit is an event's, unless a sweep was held back.
TEST(Brake, P7_Issue39_7_EventsDoNotTakeTheOnlyPermitAgainAndAgain) {
  BrakeItem item;
  EXPECT_TRUE(take(item, by_event(1), {.stops = 1}).passes);
  EXPECT_FALSE(take(item, by_sweep(2), {.stops = 1}, kNow + minutes(50)).passes);
  EXPECT_TRUE(take(item, by_event(3), {.stops = 1}, kNow + minutes(61)).waits_turn);
  EXPECT_TRUE(take(item, by_sweep(2), {.stops = 1}, kNow + minutes(65)).passes);
  EXPECT_TRUE(take(item, by_event(3), {.stops = 1}, kNow + minutes(130)).passes);
}

TEST(Brake, P7_Issue39_7_SweepsGiveHalfToTheDearestAndHalfInTurn) {
  for (const int limit : {2, 3, 20}) {
    BrakeItem item;
    for (int i = 0; i < limit; ++i) EXPECT_TRUE(take(item, by_sweep(i), {.stops = limit}).passes);
    const auto dearest = std::ranges::count_if(
        item.stops, [](const auto& permit) { return permit.second.share == Share::kDearest; });
    EXPECT_EQ(dearest, (limit + 1) / 2);
  }
  // One an hour: now for the dearest, then in turn.
  BrakeItem item;
  for (const Share share : {Share::kDearest, Share::kTurn, Share::kDearest}) {
    const sys_millis now = kNow + hours(2) * static_cast<int>(share == Share::kTurn);
    item.stops.clear();
    EXPECT_EQ(next_share(item, now), share);
    EXPECT_TRUE(take(item, by_sweep(1), {.stops = 1}, now).passes);
  }
}

TEST(Brake, A1_Issue39_5_StopsThatWereDeniedTakeATenthAtMost) {
  for (const auto& [limit, denied] :
       std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {9, 1}, {20, 2}, {1000, 100}}) {
    BrakeItem item;
    int passed = 0;
    for (int i = 0; i < 1100; ++i) {
      BrakeAsk ask = by_sweep(i);
      ask.denied = true;
      passed += take(item, ask, {.stops = limit}).passes ? 1 : 0;
    }
    EXPECT_EQ(passed, denied) << limit;
  }
}

TEST(Brake, A1_Issue39_5_OfASmallLimitTheyTakeOneOfTenPermits) {
  BrakeItem item;
  BrakeAsk denied = by_sweep(1);
  denied.denied = true;
  EXPECT_TRUE(take(item, denied, {.stops = 2}).passes);
  // Not even by renewing it, and another gets the next one.
  EXPECT_TRUE(take(item, denied, {.stops = 2}, kNow + minutes(30)).waits_turn);
  EXPECT_TRUE(take(item, by_sweep(2), {.stops = 2}, kNow + minutes(30)).passes);
  denied.who = job(3);
  EXPECT_FALSE(take(item, denied, {.stops = 2}, kNow + hours(4)).passes);
  EXPECT_TRUE(take(item, denied, {.stops = 2}, kNow + hours(5)).passes);
}

using Silence = SilenceDecision::Kind;
constexpr sys_seconds kLook{seconds(1'783'000'600)};

SilenceDecision silent(BrakeItem& item, int number, std::int64_t limit, sys_seconds now) {
  auto step = note_silence(std::move(item), {.who = job(number)}, limit, now);
  item = std::move(step.next);
  return step.decision;
}

TEST(Silence, IsSeenFirstAndStoppedByALookTenMinutesLater) {
  BrakeItem item;
  EXPECT_EQ(silent(item, 1, 3, kLook),
            (SilenceDecision{.until = kLook + minutes(10), .counted = 1}));
  EXPECT_EQ(silent(item, 1, 3, kLook + seconds(599)).kind, Silence::kLookLater);
  EXPECT_EQ(silent(item, 1, 3, kLook + seconds(600)).kind, Silence::kMayStop);
  EXPECT_EQ(silent(item, 1, 0, kLook + seconds(600)).kind, Silence::kTooMany);
}

TEST(Silence, AnOutageStopsNone) {
  for (const int jobs : {3, 4, 50, 1200}) {  // more than an item keeps
    BrakeItem item;
    for (int i = 0; i < jobs; ++i) silent(item, i, 3, kLook + seconds(i % 60));
    // By sweeps that come soon, late and again.
    for (const minutes later : {minutes(11), minutes(70), minutes(200)})
      for (int i = 0; i < jobs; ++i)
        EXPECT_EQ(silent(item, i, 3, kLook + later).kind == Silence::kMayStop, jobs <= 3)
            << jobs << " jobs, " << later.count() << " minutes later";
    EXPECT_LE(item.seen.size(), 1001U);
  }
}

TEST(Silence, OfAnotherHourDoesNotCount) {
  BrakeItem item;
  for (int i = 0; i < 4; ++i) silent(item, i, 3, kLook);
  EXPECT_EQ(silent(item, 9, 3, kLook + hours(1)).counted, 1);
  EXPECT_EQ(silent(item, 9, 3, kLook + minutes(70)).kind, Silence::kMayStop);
  EXPECT_EQ(silent(item, 1, 3, kLook + minutes(70)).kind, Silence::kTooMany);
}

TEST(Silence, WhoSpeaksAgainIsForgotten) {
  BrakeItem item;
  for (int i = 0; i < 4; ++i) silent(item, i, 3, kLook);
  EXPECT_EQ(silent(item, 0, 3, kLook + minutes(11)).kind, Silence::kTooMany);
  item = forget_silence(std::move(item), job(3));
  EXPECT_EQ(silent(item, 0, 3, kLook + minutes(11)).kind, Silence::kMayStop);
  EXPECT_EQ(silent(item, 3, 3, kLook + minutes(12)).kind, Silence::kLookLater);
}

TEST(Silence, P7_AnEarlierOneThatEndedDoesNotCount) {
  BrakeItem item;
  const auto look = [&](sys_seconds since, sys_seconds now) {
    auto step = note_silence(std::move(item), {.who = job(1), .since = since}, 3, now);
    item = std::move(step.next);
    return step.decision.kind;
  };
  EXPECT_EQ(look(kLook, kLook), Silence::kLookLater);
  EXPECT_EQ(look(kLook + hours(2), kLook + hours(3)), Silence::kLookLater);
  EXPECT_EQ(look(kLook + hours(2), kLook + hours(3) + minutes(9)), Silence::kLookLater);
  EXPECT_EQ(look(kLook + hours(2), kLook + hours(3) + minutes(10)), Silence::kMayStop);
}

TEST(Silence, P7_OfTwoWatchesIsOneJobAndEndsEachByItself) {
  BrakeItem item;
  const auto look = [&](int number, std::string_view watch, sys_seconds now) {
    auto step = note_silence(std::move(item), {.who = silent_metric(job(number), watch)}, 1, now);
    item = std::move(step.next);
    return step.decision;
  };
  look(1, "heartbeat", kLook);
  EXPECT_EQ(look(1, "validation", kLook).counted, 1);
  item = forget_silence(std::move(item), silent_metric(job(1), "validation"));
  EXPECT_EQ(look(1, "validation", kLook + minutes(10)).kind, Silence::kLookLater);
  EXPECT_EQ(look(1, "heartbeat", kLook + minutes(10)).kind, Silence::kMayStop);
  EXPECT_EQ(look(2, "heartbeat", kLook + minutes(11)).counted, 2);
}

// A look ten minutes after the silence was first seen.
Silence silent_kind(BrakeItem& item, int number, const std::string& role, double usd,
                    std::int64_t limit = 3) {
  Silence kind{};
  for (const sys_seconds now : {kLook, kLook + minutes(10)}) {
    auto step = note_silence(std::move(item),
                             {.who = job(number), .role = role, .usd_per_hour = usd}, limit, now);
    item = std::move(step.next);
    kind = step.decision.kind;
  }
  return kind;
}

TEST(Silence, P7_Issue39_7_CheapJobsDoNotKeepADearOneAlive) {
  for (const std::string role : {"own", "other"})
    for (const std::int64_t limit : {1, 3}) {
      BrakeItem item;
      for (int i = 0; i < 40; ++i) silent_kind(item, i, role, 0.05);
      EXPECT_EQ(silent_kind(item, 99, "own", 440, limit), Silence::kMayStop) << role << limit;
      // The cheap ones hold back each other.
      EXPECT_EQ(silent_kind(item, 1, role, 0.05, limit), Silence::kTooMany);
    }
}

TEST(Silence, P7_Issue39_7_AnOutageOfDearAndCheapJobsOfManyRolesStopsNone) {
  BrakeItem item;
  for (int i = 0; i < 12; ++i) silent_kind(item, i, "role-" + std::to_string(i % 6), 0.05);
  EXPECT_EQ(silent_kind(item, 99, "own", 440), Silence::kTooMany);
}

TEST(Silence, P7_Issue39_7_AnOutageOfJobsThatCostAboutAsMuchStopsNone) {
  BrakeItem item;
  for (int i = 0; i < 4; ++i) silent_kind(item, i, "role", 30.0 + i);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(silent_kind(item, i, "role", 30.0 + i), Silence::kTooMany) << i;
}

// Somebody fills what is remembered of silences.
TEST(Silence, P7_Issue39_7_ADearJobAlwaysHasRoom) {
  BrakeItem item;
  for (int i = 0; i < 1100; ++i) silent_kind(item, i, "other", 0.05);
  EXPECT_EQ(silent_kind(item, 5000, "own", 440), Silence::kMayStop);
  EXPECT_LE(item.seen.size(), 1001U);
}

// Another limit that is reached within the hour is news, and goes into the digest.
TEST(Brake, A9_EachLimitIsToldByItself) {
  BrakeItem item;
  const BrakeLimits none{.stops = 0, .silent = 0, .restarts = 0};
  EXPECT_TRUE(take(item, {.who = job(1), .stop = true}, none).tell);
  item = operators_told(std::move(item), HoldingLimit::kStopsPerHour);
  EXPECT_FALSE(take(item, {.who = job(2), .stop = true}, none).tell);
  EXPECT_TRUE(take(item, {.who = job(3), .copy = true}, none).tell);
  item = operators_told(std::move(item), HoldingLimit::kRestartsPerHour);
  EXPECT_FALSE(take(item, {.who = job(4), .copy = true}, none).tell);
  EXPECT_TRUE(take(item, {.who = job(5), .silent = true}, none).tell);
  item = operators_told(std::move(item), HoldingLimit::kSilentPerHour);
  EXPECT_FALSE(take(item, {.who = job(6), .silent = true}, none).tell);
}

TEST(Silence, P7_OperatorsHearOnceThatTooManyFellSilent) {
  BrakeItem item;
  for (int i = 0; i < 4; ++i) silent(item, i, 3, kLook);
  int told = 0;
  for (int i = 0; i < 4; ++i) {
    auto step = note_silence(std::move(item), {.who = job(i), .by = std::to_string(i)}, 3,
                             kLook + minutes(11));
    item = operators_told(std::move(step.next), HoldingLimit::kSilentPerHour);
    told += step.decision.tell ? 1 : 0;
  }
  EXPECT_EQ(told, 1);
}

TEST(Brake, P7_AJobThatIsSilentInMetricsAndLogsCountsOnce) {
  using Kind = SilenceDecision::Kind;
  const auto look = [](BrakeItem& item, const std::string& who, sys_seconds now) {
    auto step = note_silence(std::move(item), {.who = who}, 1, now);
    item = std::move(step.next);
    return step.decision;
  };
  const sys_seconds now = std::chrono::floor<seconds>(kNow);
  BrakeItem item;
  EXPECT_EQ(look(item, job(1), now).kind, Kind::kLookLater);
  EXPECT_EQ(look(item, silent_logs(job(1)), now + minutes(5)).counted, 1);
  EXPECT_EQ(look(item, job(1), now + minutes(10)).kind, Kind::kMayStop);
  // Each has its own ten minutes, and its own end.
  EXPECT_EQ(look(item, silent_logs(job(1)), now + minutes(10)).kind, Kind::kLookLater);
  item = forget_silence(std::move(item), silent_logs(job(1)));
  EXPECT_EQ(look(item, job(1), now + minutes(11)).kind, Kind::kMayStop);
  EXPECT_EQ(look(item, silent_logs(job(1)), now + minutes(20)).kind, Kind::kLookLater);
  EXPECT_EQ(look(item, silent_logs(job(2)), now + minutes(21)).counted, 2);
  EXPECT_EQ(look(item, job(1), now + minutes(22)).kind, Kind::kTooMany);
}

}  // namespace
}  // namespace trainwarden::rules::brake_test
