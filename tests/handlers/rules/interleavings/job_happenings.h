// What happens around the functions, what must never be, and what sweeps make of what is left.
#pragma once

#include "tests/handlers/rules/interleavings/job_functions.h"

namespace trainwarden::rules::test {

// Whether it has begun a restart and not written down what came of it.
inline bool is_in_restart(const Function& f) {
  return f.lives() && (f.pc == Pc::kStopForRestart || f.pc == Pc::kRestartAccepted ||
                       f.pc == Pc::kRestartNotDone || f.pc == Pc::kRestartDenied ||
                       (f.pc == Pc::kBeginRestart && f.phase == Phase::kWrite) || f.lost_v != 0);
}

inline void JobSteps::happenings(const World& world, Out& out) {
  const auto happens = [&](std::string_view what, auto change) {
    World after = world;
    change(after);
    out.push_back({what, 0, std::move(after)});
  };
  using Status = ObservedJob::Status;
  if (world.status == Status::kStopping)
    happens("the job is stopped", [](World& w) { w.status = Status::kStopped, w.ended = w.now; });
  if (world.status == Status::kRuns && scenario_.job_fails)
    happens("the job fails", [](World& w) { w.status = Status::kFailed, w.ended = w.now; });
  if (world.status == Status::kRuns && scenario_.person_stops)
    happens("a person stops the job", [](World& w) {
      w.status = Status::kStopping;
      w.stopping = w.now;
      w.stopper = Stopper::kPerson;
    });
  const bool checkpoint_is_free = !world.copy_lives && !world.other_lives;
  if (scenario_.person_copies && world.ended >= 0 && checkpoint_is_free)
    happens("a person copies the job", [](World& w) {
      w.copy_lives = w.copied_by_hand = true;
      w.copied_at = w.now;
    });
  if (scenario_.other_starts && world.ended >= 0 && checkpoint_is_free)
    happens("another job takes the checkpoint", [](World& w) { w.other_lives = true; });
  if (world.jumps < scenario_.jumps.size())
    happens("time passes", [&](World& w) {
      w.now += scenario_.jumps[w.jumps++];
      for (Function& f : w.functions) {
        // So slow is as good as dead.
        if (is_in_restart(f)) w.was_lost = true;
        if (f.lives() && f.pc == Pc::kNoticeDone && w.now >= f.claimed_at + 120)
          ++w.killed_after[f.copied ? 1 : 0];
      }
    });
}

inline Next<World> JobSteps::next(const World& world) {
  Out out;
  for (std::size_t i = 0; i < world.functions.size(); ++i) {
    const Function& f = world.functions[i];
    if (!f.lives()) continue;
    step(world, i, out);
    if (!scenario_.deaths || f.pc == Pc::kLook) continue;
    World after = world;
    Function& g = after.functions[i];
    after.was_lost = after.was_lost || is_in_restart(g);
    if (g.pc == Pc::kNoticeDone) ++after.killed_after[g.copied ? 1 : 0];
    // All that is dead is alike.
    g = Function{.program = g.program, .id = g.id, .dead = true};
    out.push_back({"dies", i + 1, std::move(after)});
  }
  happenings(world, out);
  return out;
}

inline bool JobSteps::run_undisturbed(World& world, std::size_t i) {
  Out out;
  step(world, i, out);
  if (out.empty()) return false;
  world = std::move(out.front().world);
  return world.functions[i].lives();
}

inline World JobSteps::swept(World world, int seconds) {
  world.now += seconds;
  world.functions = {};
  world.functions[0] = {.program = Program::kEnd, .id = 100 + world.now};
  while (run_undisturbed(world, 0)) {
  }
  return world;
}

// What sweeps make of a world in which no function acts any more.
inline std::string JobSteps::liveness(const World& world) {
  World left = world;
  for (const int seconds : {20, 180, 180}) left = swept(std::move(left), seconds);
  if (!left.wrong.empty()) return left.wrong + " (by a sweep)";
  const JobItem& before = items_[world.item];
  const bool is_pending = before.restart && before.restart->accepted && has_pending_copy(before) &&
                          world.status == ObservedJob::Status::kStopped;
  // A stop for good that was begun before the job was stopping counts, whoever stopped it (P4).
  const bool may_be = !world.other_lives && !before.stop && world.stopper == Stopper::kRestart;
  if (is_pending && may_be && !left.copy_lives) return "an accepted restart is not carried out";
  for (const int seconds : {27 * 3600, 180}) left = swept(std::move(left), seconds);
  const JobItem& after = items_[left.item];
  if (world.stopper == Stopper::kRestart && !left.copy_lives && left.published[0] == 0)
    return "stopped for a copy, and neither copied nor told";
  if (after.copy && after.copy->made && left.published[1] == 0) return "copied, and nobody told";
  const bool is_end =
      after.closed && (is_final(after.closed->why) || after.closed->why == Closed::kNotStoppedByIt);
  if (is_end && left.published[0] == 0) return "closed, and nobody told";
  return due_since(after) ? "something is due after 26 hours" : "";
}

inline std::string JobSteps::judge(const World& world) {
  if (!world.wrong.empty()) return world.wrong;
  const JobItem& item = items_[world.item];
  if (item.stop && item.copy) return "stopped for good and copied, by the item";
  for (const std::size_t key : {0U, 1U})
    if (world.published[key] > 1 + world.killed_after[key]) return "told twice";
  for (const Function& f : world.functions)
    if (f.lives()) return "";
  if (world.ended < 0) return "";
  // Which of its functions died, and where, means nothing to a sweep.
  World left = world;
  left.functions = {};
  const auto [known, is_new] = swept_.try_emplace(left.key());
  if (is_new) known->second = liveness(left);
  return known->second;
}

// All worlds of a scenario, or those before one in which that is wrong. begun: what the item holds
// at its beginning.
inline Findings explore(const Scenario& scenario, const World& begin, const JobItem& begun,
                        std::string enough) {
  JobSteps steps(scenario);
  World start = begin;
  start.item = steps.number(begun);
  start.v = begun == JobItem() ? 0 : 1;
  for (std::size_t i = 0; i < start.functions.size(); ++i)
    start.functions[i] = {.program = scenario.programs[i], .id = static_cast<int>(i) + 1};
  Explorer<World> explorer([&](const World& world) { return steps.next(world); },
                           [&](const World& world) { return steps.judge(world); });
  return explorer.explore(start, std::move(enough));
}

}  // namespace trainwarden::rules::test
