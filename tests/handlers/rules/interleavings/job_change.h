// What the programs of the functions have in common: they read the item, and put back what a
// transition makes of it.
#pragma once

#include "tests/handlers/rules/interleavings/job_steps.h"

namespace trainwarden::rules::test {

inline std::string request(int id) { return "request-" + std::to_string(id); }
inline const RestartOrder kRestart{.rule = "restart-slow", .why = "slow"};
inline const StopOrder kStop{.rule = "stop-idle", .why = "idle"};

inline ObservedJob JobSteps::look(const World& world) const {
  ObservedJob out{.status = world.status};
  if (world.stopping >= 0) out.stopping = at(world.stopping);
  if (world.ended >= 0) out.ended = at(world.ended);
  return out;
}

inline void go(Function& f, Pc pc) {
  f.pc = pc;
  f.phase = Phase::kRead;
}

// Reads the item, and puts back what the transition makes of it. proceed(world, function, changed)
// says where the function goes on.
template <class Transition, class Proceed>
void JobSteps::change(const World& world, std::size_t i, Out& out, Transition transition,
                      Proceed proceed) {
  const Function& f = world.functions[i];
  if (f.phase == Phase::kRead) {
    World after = world;
    Function& g = after.functions[i];
    const bool is_own = f.lost_v != 0 && f.lost_v == world.v && f.id == world.by;
    g.lost_v = 0;
    if (is_own && scenario_.forms.knows_own_writes) {
      proceed(after, g, Changed{items_[world.item], f.decision});
      out.push_back({"finds its own write", i + 1, std::move(after)});
      return;
    }
    g.item = world.item;
    g.v = world.v;
    g.read_at = world.now;
    g.phase = Phase::kWrite;
    out.push_back({"reads the item", i + 1, std::move(after)});
    return;
  }
  Changed changed = transition(items_[f.item], at(f.read_at));
  const int number = items_.number(changed.item);
  World after = world;
  if (number == f.item) {
    proceed(after, after.functions[i], changed);
    out.push_back({"has nothing to write", i + 1, std::move(after)});
    return;
  }
  if (world.v != f.v) {
    after.functions[i].phase = Phase::kRead;
    out.push_back({"loses the race", i + 1, std::move(after)});
    return;
  }
  after.item = number;
  after.v = world.v + 1;
  after.by = f.id;
  World lost = after;
  proceed(after, after.functions[i], changed);
  out.push_back({"writes the item", i + 1, std::move(after)});
  if (f.losses == scenario_.most_losses) return;
  Function& g = lost.functions[i];
  ++g.losses;
  g.phase = Phase::kRead;
  g.lost_v = lost.v;
  g.decision = changed.decision;
  out.push_back({"writes the item, and the answer is lost", i + 1, std::move(lost)});
}

}  // namespace trainwarden::rules::test
