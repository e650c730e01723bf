// Whose copy is made next (P7), and what is remembered of those that wait.
#include "handlers/rules/state/queue_order.h"

#include <gtest/gtest.h>

#include "handlers/rules/state/brake.h"
#include "handlers/rules/state/queue_item.h"

namespace trainwarden::rules::queue_order_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sys_seconds kNow{seconds(1'783'000'600)};

std::string order(const std::vector<WaitingCopy>& waiting,
                  const std::map<std::string, std::size_t>& made = {}) {
  std::string out;
  for (const std::size_t i : queue_order(waiting, made)) out += waiting[i].job + " ";
  return out;
}

WaitingCopy copy_of(const std::string& job, int ended, const std::string& role = "r") {
  return {.ended = kNow + minutes(ended), .job = job, .role = role};
}

TEST(Turns, P7_OldestFirst) {
  EXPECT_EQ(order({}), "");
  EXPECT_EQ(order({copy_of("c", 3), copy_of("a", 1), copy_of("b", 2)}), "a b c ");
}

TEST(Turns, P7_OfTwoThatEndedTogetherTheNameDecides) {
  EXPECT_EQ(order({copy_of("b", 1), copy_of("a", 1), copy_of("c", 0)}), "c a b ");
}

TEST(Turns, P7_RolesTakeTurns) {
  EXPECT_EQ(order({copy_of("a1", 1, "a"), copy_of("a2", 2, "a"), copy_of("a3", 3, "a"),
                   copy_of("b1", 9, "b"), copy_of("c1", 8, "c")}),
            "a1 c1 b1 a2 a3 ");
}

TEST(Turns, P7_ARoleThatHasHadCopiesWithinTheHourComesLater) {
  EXPECT_EQ(order({copy_of("a1", 1, "a"), copy_of("a2", 2, "a"), copy_of("b1", 9, "b"),
                   copy_of("b2", 9, "b"), copy_of("b3", 9, "b")},
                  {{role_key("a"), 2}}),
            "b1 b2 a1 b3 a2 ");
}

BrakeDecision ask(BrakeItem& item, const std::string& job, const std::string& role, bool queued,
                  sys_seconds now, std::int64_t limit) {
  auto step = take_slots(std::move(item),
                         {.who = "job/" + job + "/1", .copy = true, .role = role, .queued = queued},
                         {.restarts = limit}, now, "request");
  item = std::move(step.next);
  return step.decision;
}

TEST(Turns, P7_NobodyOvertakesThoseWhoWait) {
  BrakeItem item;
  for (const auto& [job, at] :
       {std::pair("a1", 0), std::pair("a2", 0), std::pair("a3", 30), std::pair("a4", 30)})
    EXPECT_TRUE(ask(item, job, "a", at == 30, kNow + minutes(at), 4).passes);
  EXPECT_FALSE(ask(item, "b1", "b", false, kNow + minutes(35), 4).passes);
  // There is room again, and b1 waits for a sweep: it comes before others of its role, and of one
  // that has had more.
  const sys_seconds later = kNow + minutes(61);
  for (const char* role : {"a", "b"}) {
    const BrakeDecision held = ask(item, "x", role, false, later, 4);
    EXPECT_FALSE(held.passes) << role;
    EXPECT_TRUE(held.waits_turn);
    EXPECT_FALSE(held.tell);
  }
  EXPECT_TRUE(ask(item, "c1", "c", false, later, 4).passes);
  EXPECT_TRUE(ask(item, "b1", "b", true, later, 4).passes);
  EXPECT_TRUE(item.queue_by_role.empty());
}

TEST(Turns, P7_ALineThatNoSweepServesEndsAfterAnHour) {
  BrakeItem item;
  EXPECT_TRUE(ask(item, "a1", "a", false, kNow, 1).passes);
  EXPECT_FALSE(ask(item, "b1", "b", false, kNow + minutes(59), 1).passes);
  EXPECT_FALSE(ask(item, "b2", "b", false, kNow + minutes(62), 1).passes);
  EXPECT_TRUE(ask(item, "b2", "b", false, kNow + minutes(120), 1).passes);
}

// Many ask at once: one entry serves them all.
TEST(Turns, P7_WhoIsHeldBackAgainWritesNothing) {
  BrakeItem item;
  ask(item, "a1", "a", false, kNow, 1);
  ask(item, "b1", "b", false, kNow, 1);
  item = operators_told(std::move(item), HoldingLimit::kRestartsPerHour);
  const BrakeItem before = item;
  EXPECT_FALSE(ask(item, "b2", "b", false, kNow + minutes(1), 1).passes);
  EXPECT_EQ(item, before);
}

TEST(Turns, P7_ASlotGoesBackWhenEachAttemptWasRefused) {
  BrakeItem item;
  const auto take = [&](const std::string& attempt) {
    auto step = take_slots(std::move(item), {.who = "job/a/1", .copy = true, .attempt = attempt},
                           {.restarts = 1}, kNow, "request");
    item = std::move(step.next);
    return step.decision.passes;
  };
  const auto refuse = [&](const std::string& attempt) {
    item = give_back_copy(std::move(item), {.who = "job/a/1", .copy = true, .attempt = attempt});
  };
  EXPECT_TRUE(take(""));  // to be made later
  EXPECT_TRUE(take("1"));
  EXPECT_TRUE(take("2"));
  refuse("1");
  refuse("1");
  EXPECT_TRUE(has_copy_slot(item, "job/a/1", "", kNow));
  EXPECT_FALSE(ask(item, "b", "r", true, kNow, 1).passes);
  refuse("2");
  EXPECT_FALSE(has_copy_slot(item, "job/a/1", "", kNow));
  EXPECT_TRUE(ask(item, "b", "r", true, kNow, 1).passes);
}

// What is not remembered by itself is never given back.
TEST(Turns, P7_MoreAttemptsAtOnceThanAreKeptHoldTheSlot) {
  BrakeItem item;
  for (int i = 0; i < 20; ++i)
    item =
        take_slots(std::move(item), {.who = "job/a/1", .copy = true, .attempt = std::to_string(i)},
                   {.restarts = 1}, kNow, "request")
            .next;
  for (int i = 0; i < 20; ++i)
    item = give_back_copy(std::move(item),
                          {.who = "job/a/1", .copy = true, .attempt = std::to_string(i)});
  EXPECT_TRUE(has_copy_slot(item, "job/a/1", "", kNow));
  EXPECT_FALSE(has_copy_slot(item, "job/a/1", "", kNow + hours(2)));
}

// DynamoDB takes 400 KB; its count is below that of the JSON text.
TEST(Turns, P7_TheLargestLimitsFitIntoOneItem) {
  BrakeItem item;
  const std::string name(63, 'n');
  for (int i = 0; i < kLargestLimit; ++i) {
    const std::string job = "job/" + name.substr(4) + std::to_string(1000 + i) + "/1783000000123";
    item = take_slots(std::move(item),
                      {.who = job,
                       .stop = true,
                       .silent = true,
                       .copy = true,
                       .attempt = "1",
                       .queued = i >= kLargestLimit / 2},
                      {kLargestLimit, kLargestLimit, kLargestLimit}, kNow, "request")
               .next;
    for (const char* attempt : {"2", "3", ""})
      item = take_slots(std::move(item), {.who = job, .copy = true, .attempt = attempt},
                        {kLargestLimit, kLargestLimit, kLargestLimit}, kNow, "request")
                 .next;
    item.seen.emplace(silent_metric(job, "watch"), SeenSilence{.at = kNow});
  }
  EXPECT_EQ(item.copies.size(), static_cast<std::size_t>(kLargestLimit));
  std::size_t bytes = 0;
  constexpr std::size_t kNumber = 9;
  constexpr std::size_t kMap = 3;
  constexpr std::string_view kOfStop = "atrolebysilentdenied01234567dearest";
  for (const auto& [who, permit] : item.stops)
    bytes += who.size() + kMap + kOfStop.size() + kNumber + 2 + 6;
  for (const auto& [who, attempts] : item.copies)
    bytes += who.size() + 4 + attempts.size() * (8 + kNumber);
  constexpr std::string_view kOfSilence = "atrolecents01234567";
  for (const auto& [who, seen] : item.seen)
    bytes += who.size() + kMap + kOfSilence.size() + 2 * kNumber + 4;
  EXPECT_EQ(item.stops.size(), static_cast<std::size_t>(kLargestLimit));
  EXPECT_LT(bytes, std::size_t{400} * 1024);
}

TEST(QueueItem, P7_RemembersTheRulesThatAskedAndSinceWhen) {
  const std::vector<std::string> one{"rule/1"};
  const std::vector<std::string> two{"rule/2"};
  QueueItem item = enqueue({}, one, kNow - hours(2), kNow);
  item = enqueue(item, two, kNow - hours(2), kNow + minutes(1));
  EXPECT_EQ(item.at, kNow);
  EXPECT_TRUE(is_queued(item, "rule/1", kNow - hours(2)));
  EXPECT_TRUE(is_queued(item, "rule/2", kNow - hours(2)));
  EXPECT_FALSE(is_queued(item, "rule/3", kNow - hours(2)));
  // A later job of that name, or one of which nobody knows.
  EXPECT_FALSE(is_queued(item, "rule/1", kNow + minutes(1)));
  EXPECT_FALSE(is_queued(item, "rule/1", std::nullopt));
  EXPECT_FALSE(is_queued(dequeue(item), "rule/1", kNow - hours(2)));
  EXPECT_EQ(enqueue(item, two, kNow + hours(1), kNow + hours(2)).rules, two);
  EXPECT_EQ(enqueue(dequeue(item), two, kNow - hours(2), kNow + hours(2)).at, kNow + hours(2));
}

}  // namespace
}  // namespace trainwarden::rules::queue_order_test
