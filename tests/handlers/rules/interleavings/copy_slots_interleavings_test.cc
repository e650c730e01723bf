// The slots of copies (policy.md P7) under three functions at once: they are taken, and given back
// where AWS refused the copy. Whatever the order, whoever dies and whatever answer is lost, no more
// copies are made in any sixty minutes than the limit says. Forms that give back too much are
// found.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <utility>

#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/interleavings/brake_functions.h"

namespace trainwarden::rules::test::copy_slots_interleavings_test {
namespace {

enum class Pc { kReadToTake, kTake, kCreate, kReadToGiveBack, kGiveBack, kOver };

struct Function {
  Pc pc = Pc::kReadToTake;
  int item = 0;
  int v = 0;
  int read_at = 0;
  int until = 0;
  int tries = 0;  // so far
  bool dead = false;
  bool has_lost = false;  // an answer to a write
};

struct World {
  int now = 0;
  std::size_t jumps = 0;
  int item = 0;
  int v = 0;
  std::array<int, 3> made = {-1, -1, -1};  // when each job's copy was made
  std::array<Function, 3> functions = {};
  bool is_over = false;  // the limit

  std::string key() const {
    std::string out;
    const auto add = [&](auto... numbers) { (add_to_key(out, numbers), ...); };
    add(now, jumps, item, v, made[0], made[1], made[2], is_over);
    for (const Function& f : functions)
      add(f.pc, f.item, f.v, f.read_at, f.until, f.tries, f.dead, f.has_lost);
    return out;
  }
};

struct Scenario {
  std::array<std::size_t, 3> jobs = {0, 1, 2};  // of each function
  std::int64_t limit = 1;
  std::vector<int> jumps = {};      // of the clock: each at any moment or never
  int most_tries = 1;               // of each function
  bool gives_back_unclear = false;  // where the answer was lost, too
  std::function<BrakeItem(BrakeItem, const BrakeAsk&)> give_back = give_back_copy;
};

class CopySteps {
 public:
  explicit CopySteps(Scenario scenario) : scenario_(std::move(scenario)) {}

  Next<World> next(const World& world) {
    return next_of_functions(
        world, scenario_.jumps, Pc::kOver,
        [&](const World& from, std::size_t i, Next<World>& out) { step(from, i, out); });
  }

 private:
  BrakeAsk ask_of(std::size_t i, const Function& f) const {
    return {.who = std::string(kJobs[scenario_.jobs[i]]),
            .copy = true,
            .attempt = "request-" + std::to_string(i + 1) + "/" + std::to_string(f.tries),
            .queued = true};
  }

  void step(const World& world, std::size_t i, Next<World>& out) {
    const Function& f = world.functions[i];
    switch (f.pc) {
      case Pc::kReadToTake:
      case Pc::kReadToGiveBack: {
        World after = world;
        Function& g = after.functions[i];
        g.pc = f.pc == Pc::kReadToTake ? Pc::kTake : Pc::kGiveBack;
        g.item = world.item;
        g.v = world.v;
        g.read_at = world.now;
        out.push_back({"reads the brake", i + 1, std::move(after)});
        return;
      }
      case Pc::kTake:
        return take(world, i, out);
      case Pc::kCreate:
        return create(world, i, out);
      case Pc::kGiveBack:
        return give_back(world, i, out);
      case Pc::kOver:
        return;
    }
  }

  // Puts the item, or loses the race.
  void put(const World& world, std::size_t i, const BrakeItem& item, Pc then, Pc read_again,
           std::string_view what, Next<World>& out) {
    World after = world;
    Function& f = after.functions[i];
    if (world.v != f.v) {
      f.pc = read_again;
      out.push_back({"loses the race", i + 1, std::move(after)});
      return;
    }
    after.item = items_.number(item);
    after.v = world.v + 1;
    World lost = after;
    f.pc = then;
    out.push_back({what, i + 1, std::move(after)});
    // Who does not know reads again, and asks for the same.
    lost.functions[i].pc = read_again;
    if (!std::exchange(lost.functions[i].has_lost, true))
      out.push_back({"writes, and the answer is lost", i + 1, std::move(lost)});
  }

  void take(const World& world, std::size_t i, Next<World>& out) {
    World held = world;
    Function& f = held.functions[i];
    auto [item, decision] = take_slots(items_[f.item], ask_of(i, f), {.restarts = scenario_.limit},
                                       moment(f.read_at), "request-" + std::to_string(i + 1));
    if (!decision.passes) {
      f.pc = Pc::kOver;
      out.push_back({"is held back", i + 1, std::move(held)});
      return;
    }
    World before = world;
    before.functions[i].until = f.read_at + 15;
    put(before, i, item, Pc::kCreate, Pc::kReadToTake, "takes its slot", out);
  }

  void create(const World& world, std::size_t i, Next<World>& out) {
    const std::size_t job = scenario_.jobs[i];
    const auto go = [&](std::string_view what, World after, Pc pc) {
      after.functions[i].pc = pc;
      out.push_back({what, i + 1, std::move(after)});
    };
    const Pc lost = scenario_.gives_back_unclear ? Pc::kReadToGiveBack : Pc::kOver;
    if (world.now > world.functions[i].until) return go("is late", world, Pc::kReadToTake);
    if (world.made[job] >= 0) return go("finds the copy made", world, Pc::kOver);
    World made = world;
    made.made[job] = world.now;
    made.is_over = count_of_the_hour(made.made, made.now) > scenario_.limit;
    go("makes the copy", made, Pc::kOver);
    go("makes the copy, and the answer is lost", made, lost);
    go("gets no answer, and no copy", world, lost);
    go("is refused", world, Pc::kReadToGiveBack);
  }

  void give_back(const World& world, std::size_t i, Next<World>& out) {
    const Function& f = world.functions[i];
    const BrakeItem item = scenario_.give_back(items_[f.item], ask_of(i, f));
    const bool again = f.tries + 1 < scenario_.most_tries;
    World before = world;
    if (items_.number(item) == f.item) {
      before.functions[i].pc = Pc::kOver;
      out.push_back({"has nothing to give back", i + 1, std::move(before)});
      return;
    }
    const std::size_t had = out.size();
    put(before, i, item, again ? Pc::kReadToTake : Pc::kOver, Pc::kReadToGiveBack,
        "gives its slot back", out);
    if (again && world.v == f.v) ++out[had].world.functions[i].tries;
  }

  Scenario scenario_;
  BrakeItems items_;
};

constexpr const char* kTooMany = "more copies were made than the limit says";

Findings explore(const Scenario& scenario, std::string enough = {}) {
  return explore_functions<World>(CopySteps(scenario), kTooMany, std::move(enough));
}

TEST(CopySlotsInterleavings, P7_OneOfThreeCopiesAnHour) {
  const Findings found = explore({.jumps = {3605}});
  EXPECT_TRUE(found.wrong.empty()) << found.report();
}

TEST(CopySlotsInterleavings, P7_TwoDeliveriesForOneCopyAndOneForAnother) {
  const Findings found = explore({.jobs = {0, 0, 1}});
  EXPECT_TRUE(found.wrong.empty()) << found.report();
}

TEST(CopySlotsInterleavings, P7_BitesWhereARefusedAttemptGivesBackWhatAnotherMayHaveUsed) {
  Scenario scenario{.jobs = {0, 0, 1}};
  scenario.give_back = [](BrakeItem item, const BrakeAsk& ask) {
    const auto slot = item.copies.find(copy_slot(ask.who, ask.role));
    if (slot != item.copies.end()) item.copies.erase(slot);
    return item;
  };
  EXPECT_TRUE(explore(scenario, kTooMany).wrong.contains(kTooMany));
}

TEST(CopySlotsInterleavings, P7_BitesWhereALostAnswerGivesTheSlotBack) {
  EXPECT_TRUE(explore({.gives_back_unclear = true}, kTooMany).wrong.contains(kTooMany));
}

}  // namespace
}  // namespace trainwarden::rules::test::copy_slots_interleavings_test
