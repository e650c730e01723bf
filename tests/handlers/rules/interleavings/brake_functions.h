// What the explorers of the brake share: three functions, each with a job, a clock that jumps, and
// the brake's item by number, so that a world stays small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/interleavings/explorer.h"

namespace trainwarden::rules::test {

inline constexpr std::array<std::string_view, 3> kJobs = {"job/a/1", "job/b/2", "job/c/3"};

inline sys_millis moment(int seconds) {
  return sys_millis{std::chrono::seconds(1'783'000'000 + seconds)};
}

// Each item that was seen, by number. The empty one is 0.
class BrakeItems {
 public:
  BrakeItems() { number({}); }

  const BrakeItem& operator[](int number) const { return items_[static_cast<std::size_t>(number)]; }

  int number(const BrakeItem& item) {
    const auto text = json::to_text(brake_attributes(item, {}).root());
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<int>(items_.size()));
    if (is_new) items_.push_back(item);
    return found->second;
  }

 private:
  std::vector<BrakeItem> items_;
  std::map<std::string, int> numbers_;
};

// Each job's last time, -1 for none: how many are of the sixty minutes that end now.
inline std::int64_t count_of_the_hour(const std::array<int, 3>& times, int now) {
  std::int64_t out = 0;
  for (const int time : times)
    if (time >= 0 && now - time < 3600) ++out;
  return out;
}

// What can happen next: each function that lives takes a step or dies, or the clock jumps. Pc: has
// kOver. step(world, i, out) adds what function i can do.
template <class World, class Pc, class Step>
Next<World> next_of_functions(const World& world, const std::vector<int>& jumps, Pc over,
                              const Step& step) {
  Next<World> out;
  for (std::size_t i = 0; i < world.functions.size(); ++i) {
    const auto& f = world.functions[i];
    if (f.dead || f.pc == over) continue;
    step(world, i, out);
    World after = world;
    after.functions[i] = {.dead = true};
    out.push_back({"dies", i + 1, std::move(after)});
  }
  if (world.jumps < jumps.size()) {
    World after = world;
    after.now += jumps[after.jumps++];
    out.push_back({"time passes", 0, std::move(after)});
  }
  return out;
}

// Every interleaving of these steps. too_many: what is wrong where the limit was broken.
template <class World, class Steps>
Findings explore_functions(Steps steps, const char* too_many, std::string enough) {
  Explorer<World> explorer([&](const World& world) { return steps.next(world); },
                           [&](const World& world) { return world.is_over ? too_many : ""; });
  Findings found = explorer.explore({}, std::move(enough));
  std::printf("%zu worlds, %zu steps, %.3g interleavings\n", found.worlds, found.steps,
              found.interleavings);
  return found;
}

}  // namespace trainwarden::rules::test
