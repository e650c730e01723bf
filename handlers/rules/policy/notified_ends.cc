#include "handlers/rules/policy/notified_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/policy/remarks.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kStatus = "TrainingJobStatus";
constexpr std::string_view kSecondary = "SecondaryStatus";

// Groups that have facts of jobs that run, or of jobs that have ended, and of no others: what an
// alarm asks for is confirmed of a job that trains (W4), only a failed job has a failure, only one
// that has ended a warm pool.
constexpr std::array<Group, 6> kOfOneSide = {Group::kAlarm,    Group::kFailure,  Group::kDiagnosis,
                                             Group::kWarmPool, Group::kPoolCost, Group::kLogs};

bool accepts_all(const Condition& condition, std::span<const std::string_view> values) {
  return std::ranges::all_of(
      values, [&](std::string_view value) { return condition.accepts(Scalar::of(value)); });
}

// A condition on a status that every status meets says nothing.
bool tells_statuses(const Conjunction& conjunction, std::string_view path) {
  const Condition* const condition = conjunction.find(Group::kJob, path);
  return condition != nullptr && !accepts_all(*condition, known_values(Group::kJob, path));
}

bool asks_for(const Conjunction& conjunction, std::string_view path) {
  const Condition* const condition = conjunction.find(Group::kJob, path);
  if (condition == nullptr) return false;
  const bool any =
      condition->accepts_absence() && std::ranges::any_of(condition->tests, [](const Test& test) {
        return test.kind == Test::Kind::kPresent;
      });
  return !any;
}

bool looks_at_pool(const Conjunction& conjunction) {
  return std::ranges::any_of(conjunction.parts, [](const Part& part) {
    return part.group == Group::kJob &&
           std::ranges::any_of(part.conditions, [](const Condition& condition) {
             return condition.path.starts_with("WarmPoolStatus.") && !condition.accepts_absence();
           });
  });
}

// Whether the condition is there and no value of a job that has ended meets it.
bool asks_for_running(const Conjunction& conjunction, Group group, std::string_view path) {
  const Condition* const condition = conjunction.find(group, path);
  if (condition == nullptr) return false;
  // 0 is what is left to a job that has ended; a checkpoint's age it has none.
  const Scalar zero{json::Type::kNumber, false, 0, {}};
  return group == Group::kRuntime ? !condition->accepts(zero) : !condition->accepts_absence();
}

// Whether the alternative tells jobs that run from jobs that have ended.
bool tells_ends_apart(const Conjunction& conjunction) {
  if (tells_statuses(conjunction, kStatus) || tells_statuses(conjunction, kSecondary)) return true;
  if (std::ranges::any_of(paths_of_ended_jobs(),
                          [&](std::string_view path) { return asks_for(conjunction, path); }) ||
      looks_at_pool(conjunction))
    return true;
  if (std::ranges::any_of(kOfOneSide, [&](Group group) { return conjunction.looks_into(group); }))
    return true;
  if (asks_for_running(conjunction, Group::kRuntime, "remaining_seconds") ||
      asks_for_running(conjunction, Group::kCheckpoint, "age_seconds"))
    return true;
  static constexpr std::array<std::string_view, 2> kOfAllJobs = {"state", "sweep"};
  return conjunction.refuses(Group::kEvent, "trigger", kOfAllJobs);
}

// An exemption by nothing but statuses.
bool exempts_statuses(const Conjunction& unless) {
  const bool only = std::ranges::all_of(unless.parts, [](const Part& part) {
    return part.group == Group::kJob &&
           std::ranges::all_of(part.conditions, [](const Condition& condition) {
             const auto of_end = paths_of_ended_jobs();
             return condition.path == kStatus || condition.path == kSecondary ||
                    std::ranges::find(of_end, condition.path) != of_end.end();
           });
  });
  return only && tells_ends_apart(unless);
}

bool may_notify(const Rule& rule) {
  if (!rule.has(ActionKind::kNotify) || rule.mode == Mode::kObserve) return false;
  // What only lets warm pools go tells of those alone.
  return !rule.has(ActionKind::kRelease) || rule.has(ActionKind::kStop) ||
         rule.has(ActionKind::kRestart);
}

// Whether the rule holds for jobs that run and for jobs that have ended alike.
bool holds_for_ends(const Rule& rule) {
  return !rule.any_exemption(exempts_statuses) &&
         !std::ranges::all_of(rule.match.any, tells_ends_apart);
}

}  // namespace

std::vector<Remark> notified_ends(const Policy& policy) {
  return remarks(
      policy, [](const Rule& rule) { return may_notify(rule) && holds_for_ends(rule); },
      "tells of jobs that have ended, too, of those of the last 26 hours at the next "
      "sweep: nothing in `match` tells them from jobs that run; if that is not meant, "
      "add \"job\": {\"TrainingJobStatus\": [\"InProgress\"]}");
}

std::vector<Remark> stopped_ends(const Policy& policy) {
  const auto only_acts = [](const Rule& rule, ActionKind kind) {
    return rule.has(kind) && !may_notify(rule) && holds_for_ends(rule);
  };
  std::vector<Remark> out = remarks(
      policy, [&](const Rule& rule) { return only_acts(rule, ActionKind::kStop); },
      "holds for jobs that have ended, too, which nothing can stop: nothing in `match` tells them "
      "from jobs that run; add \"job\": {\"TrainingJobStatus\": [\"InProgress\"]}");
  const std::vector<Remark> restarts = remarks(
      policy,
      [&](const Rule& rule) {
        return only_acts(rule, ActionKind::kRestart) && !rule.has(ActionKind::kStop);
      },
      "stops and copies jobs that run, and copies jobs that have failed: nothing in `match` tells "
      "them apart; add \"job\": {\"TrainingJobStatus\": [\"InProgress\"]} or [\"Failed\"]");
  out.insert(out.end(), restarts.begin(), restarts.end());
  return out;
}

}  // namespace trainwarden::rules
