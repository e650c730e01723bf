// The brake under three functions at once: whatever the order, whoever dies and whatever answer is
// lost, no more jobs are stopped in any sixty minutes than the limit says, also around the full
// hour. Forms that let more through are found.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <utility>

#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/interleavings/brake_functions.h"

namespace trainwarden::rules::test::brake_interleavings_test {
namespace {

enum class Pc { kRead, kWrite, kStop, kOver };

struct Function {
  Pc pc = Pc::kRead;
  int item = 0;
  int v = 0;
  int read_at = 0;
  int lost_v = 0;
  int until = 0;
  bool dead = false;
  bool has_lost = false;
};

struct World {
  int now = 0;
  std::size_t jumps = 0;
  int item = 0;
  int v = 0;
  std::size_t by = 0;
  std::array<int, 3> stopped = {-1, -1, -1};  // each job, last
  std::array<Function, 3> functions = {};
  bool is_over = false;  // the limit

  std::string key() const {
    std::string out;
    const auto add = [&](auto... numbers) { (add_to_key(out, numbers), ...); };
    add(now, jumps, item, v, by, stopped[0], stopped[1], stopped[2], is_over);
    for (const Function& f : functions)
      add(f.pc, f.item, f.v, f.read_at, f.lost_v, f.until, f.dead, f.has_lost);
    return out;
  }
};

struct Scenario {
  std::array<std::size_t, 3> jobs = {0, 1, 2};  // of each function
  std::int64_t limit = 1;
  std::vector<int> jumps = {10, 3590, 20};  // of the clock: each at any moment or never
  bool writes = true;                       // the brake's item, on condition
  bool heeds_until = true;
  std::function<Step<BrakeItem, BrakeDecision>(BrakeItem, const BrakeAsk&, const BrakeLimits&,
                                               sys_millis, std::string_view)>
      take = take_slots;
};

class BrakeSteps {
 public:
  explicit BrakeSteps(Scenario scenario) : scenario_(std::move(scenario)) {}

  Next<World> next(const World& world) {
    return next_of_functions(
        world, scenario_.jumps, Pc::kOver,
        [&](const World& from, std::size_t i, Next<World>& out) { step(from, i, out); });
  }

 private:
  void step(const World& world, std::size_t i, Next<World>& out) {
    World after = world;
    Function& f = after.functions[i];
    switch (f.pc) {
      case Pc::kRead:
        if (f.lost_v != 0 && f.lost_v == world.v && world.by == i + 1) {
          f.pc = Pc::kStop;
        } else {
          f = {.pc = Pc::kWrite,
               .item = world.item,
               .v = world.v,
               .read_at = world.now,
               .has_lost = f.has_lost};
        }
        out.push_back({"reads the brake", i + 1, std::move(after)});
        return;
      case Pc::kWrite:
        return write(world, i, out);
      case Pc::kStop:
        if (scenario_.heeds_until && world.now > f.until) {
          f.pc = Pc::kRead;
          out.push_back({"is late and takes its slot again", i + 1, std::move(after)});
          return;
        }
        f.pc = Pc::kOver;
        after.stopped[scenario_.jobs[i]] = world.now;
        after.is_over = count_of_the_hour(after.stopped, after.now) > scenario_.limit;
        out.push_back({"stops its job", i + 1, std::move(after)});
        return;
      case Pc::kOver:
        return;
    }
  }

  void write(const World& world, std::size_t i, Next<World>& out) {
    World after = world;
    Function& f = after.functions[i];
    const BrakeAsk ask{.who = std::string(kJobs[scenario_.jobs[i]]), .stop = true, .queued = true};
    const BrakeLimits limits{.stops = scenario_.limit};
    auto [item, decision] = scenario_.take(items_[f.item], ask, limits, moment(f.read_at),
                                           "request-" + std::to_string(i + 1));
    f.until = f.read_at + 15;
    f.pc = decision.passes ? Pc::kStop : Pc::kOver;
    if (!decision.passes || !scenario_.writes) {
      out.push_back({decision.passes ? "passes" : "is held back", i + 1, std::move(after)});
      return;
    }
    if (world.v != f.v) {
      f.pc = Pc::kRead;
      out.push_back({"loses the race", i + 1, std::move(after)});
      return;
    }
    after.item = items_.number(item);
    after.v = world.v + 1;
    after.by = i + 1;
    World lost = after;
    out.push_back({"takes its slot", i + 1, std::move(after)});
    Function& g = lost.functions[i];
    if (std::exchange(g.has_lost, true)) return;
    g.pc = Pc::kRead;
    g.lost_v = lost.v;
    out.push_back({"takes its slot, and the answer is lost", i + 1, std::move(lost)});
  }

  Scenario scenario_;
  BrakeItems items_;
};

constexpr const char* kOver = "more jobs were stopped than the limit says";

Findings explore(const Scenario& scenario, std::string enough = {}) {
  return explore_functions<World>(BrakeSteps(scenario), kOver, std::move(enough));
}

bool lets_too_many_through(const Scenario& scenario) {
  return explore(scenario, kOver).wrong.contains(kOver);
}

TEST(BrakeInterleavings, P7_OneOfThreeJobsAnHour) {
  const Findings found = explore({});
  EXPECT_TRUE(found.wrong.empty()) << found.report();
}

TEST(BrakeInterleavings, P7_TwoOfThreeJobsAnHour) {
  const Findings found = explore({.limit = 2, .jumps = {3605}});
  EXPECT_TRUE(found.wrong.empty()) << found.report();
}

TEST(BrakeInterleavings, P7_TwoDeliveriesForOneJobAndOneForAnother) {
  const Findings found = explore({.jobs = {0, 0, 1}, .jumps = {3590, 30}});
  EXPECT_TRUE(found.wrong.empty()) << found.report();
}

TEST(BrakeInterleavings, P7_BitesWhereStopsAreOnlyCounted) {
  EXPECT_TRUE(lets_too_many_through({.jumps = {}, .writes = false}));
}

TEST(BrakeInterleavings, P7_BitesWhereAStopComesLongAfterItsSlot) {
  EXPECT_TRUE(lets_too_many_through({.heeds_until = false}));
}

// A slot that counts for an hour to the second, and is not renewed by who has it.
TEST(BrakeInterleavings, P7_BitesWhereASlotCountsForAnHourToTheSecond) {
  Scenario scenario;
  scenario.take = [](BrakeItem item, const BrakeAsk& ask, const BrakeLimits& limits, sys_millis now,
                     std::string_view by) {
    std::erase_if(item.stops,
                  [&](const auto& slot) { return now - slot.second.at >= std::chrono::hours(1); });
    return take_slots(std::move(item), ask, limits, now, by);
  };
  EXPECT_TRUE(lets_too_many_through(scenario));
}

TEST(BrakeInterleavings, P7_BitesWhereASlotIsNotRenewed) {
  Scenario scenario{.jobs = {0, 0, 1}, .jumps = {3590, 30}};
  scenario.take = [](BrakeItem item, const BrakeAsk& ask, const BrakeLimits& limits, sys_millis now,
                     std::string_view by) {
    const StopPermits before = item.stops;
    auto step = take_slots(std::move(item), ask, limits, now, by);
    const auto had = before.find(ask.who);
    if (step.decision.passes && had != before.end() && now - had->second.at < kSlotCounts)
      step.next.stops.insert_or_assign(ask.who, had->second);
    return step;
  };
  EXPECT_TRUE(lets_too_many_through(scenario));
}

}  // namespace
}  // namespace trainwarden::rules::test::brake_interleavings_test
