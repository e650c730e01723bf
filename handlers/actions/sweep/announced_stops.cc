#include "handlers/actions/sweep/announced_stops.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/stop/grace.h"
#include "handlers/actions/table/items.h"

namespace trainwarden::actions {
namespace {

// The rule waits for an alarm that is in ALARM, or that the census does not cover.
bool may_hold_by_alarm(const rules::Rule& rule, const aws::JobName& job,
                       const AlarmCensus& alarms) {
  const bool unlisted = !alarms.covers(job.view());
  return std::ranges::any_of(rule.match.any, [&](const rules::Conjunction& match) {
    if (!match.looks_into(rules::Group::kAlarm)) return false;
    return unlisted || std::ranges::any_of(alarms.firing, [&](const AlarmCensus::Firing& one) {
             const std::string_view watch = one.alarm.watch;
             return one.job == job.view() &&
                    !match.refuses(rules::Group::kAlarm, "watch", {&watch, 1});
           });
  });
}

// How an announced stop is judged: it is over, since the policy no longer has its rule; by a look
// at the job without an alarm; or not at all.
enum class Judged : std::uint8_t { kOver, kByLook, kNot };

Judged judged(const std::string& name, const aws::JobName& job, const AlarmCensus& alarms,
              const ActivePolicy& rules) {
  const auto all = rules.policy.rules();
  const auto rule = std::ranges::find(all, name, &rules::Rule::name);
  if (rule == all.end()) return Judged::kOver;
  if (effective_mode(rules.policy, *rule, rules.ceiling) < rules::Mode::kEnforce ||
      may_hold_by_alarm(*rule, job, alarms))
    return Judged::kNot;
  return Judged::kByLook;
}

}  // namespace

Result<void> review_announced_stops(const aws::JobName& job, const ConsideredDue& due,
                                    const AlarmCensus& alarms, const rules::JobEvent& sweep,
                                    const ActivePolicy& rules, const Apis& apis) {
  if (!rules.enforces()) return {};
  TRY(const rules::JobItem item, last_job_item(due.id, apis));
  if (item.graces.empty()) return {};
  std::vector<std::string> held;
  std::vector<std::string> over;
  std::vector<std::string> to_judge;
  const bool runs = due.is_it && due.sources.job()->status == rules::JobStatus::kInProgress;
  for (const auto& [name, grace] : item.graces) {
    const Judged by = runs ? judged(name, job, alarms, rules) : Judged::kOver;
    if (by == Judged::kOver) over.push_back(name);
    if (by == Judged::kByLook) to_judge.push_back(name);
  }
  if (!to_judge.empty()) {
    const Considered found = consider(rules, {job, {}}, sweep, apis);
    if (found.record.error) return {};
    const rules::Evaluation& evaluation = found.evaluation;
    for (std::string& name : to_judge)
      if (std::ranges::find(evaluation.decisions, name, &rules::Decision::rule) !=
          evaluation.decisions.end())
        held.push_back(std::move(name));
      else if (std::ranges::find(evaluation.skipped, name, &rules::Skipped::rule) ==
               evaluation.skipped.end())
        over.push_back(std::move(name));
  }
  return review_graces(due.id, item, held, over, apis);
}

}  // namespace trainwarden::actions
