#include "handlers/rules/policy/idle_actions.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "handlers/rules/policy/remarks.h"

namespace trainwarden::rules {
namespace {

// What launched a job may run on after it (A1), so that this stop has something to do.
bool stops_itself(const Rule& rule) {
  return std::ranges::any_of(rule.actions, [](const Action& action) {
    return action.kind == ActionKind::kStop && !action.stop.tuning_job;
  });
}

// Whether the alternative asks for a fact that only jobs have which have ended.
bool asks_for_an_end(const Conjunction& match) {
  static constexpr std::array<Group, 4> kOfEnds = {Group::kFailure, Group::kDiagnosis,
                                                   Group::kWarmPool, Group::kPoolCost};
  return std::ranges::any_of(kOfEnds, [&](Group group) { return match.looks_into(group); });
}

// Whether the alternative holds for jobs of some status, and for none of these. One for no status
// at all has a misspelt one, which is told otherwise.
bool holds_only_beside(const Conjunction& match, std::span<const std::string_view> statuses) {
  constexpr std::string_view kStatus = "TrainingJobStatus";
  return match.refuses(Group::kJob, kStatus, statuses) &&
         !match.refuses(Group::kJob, kStatus, known_values(Group::kJob, kStatus));
}

bool holds_for_no_running(const Rule& rule) {
  static constexpr std::array<std::string_view, 1> kRunning = {"InProgress"};
  return std::ranges::all_of(rule.match.any, [](const Conjunction& match) {
    return holds_only_beside(match, kRunning) || asks_for_an_end(match);
  });
}

bool holds_for_none_to_restart(const Rule& rule) {
  static constexpr std::array<std::string_view, 4> kToRestart = {"InProgress", "Stopping", "Failed",
                                                                 "Stopped"};
  return std::ranges::all_of(rule.match.any, [](const Conjunction& match) {
    return holds_only_beside(match, kToRestart);
  });
}

}  // namespace

std::vector<Remark> idle_actions(const Policy& policy) {
  std::vector<Remark> out = remarks(
      policy, [](const Rule& rule) { return stops_itself(rule) && holds_for_no_running(rule); },
      "never stops a job: the rule holds only for jobs that have ended");
  const std::vector<Remark> restarts = remarks(
      policy,
      [](const Rule& rule) {
        return rule.has(ActionKind::kRestart) && holds_for_none_to_restart(rule);
      },
      "never runs a job again: the rule holds only for jobs that completed or are being deleted");
  out.insert(out.end(), restarts.begin(), restarts.end());
  return out;
}

}  // namespace trainwarden::rules
