#include "handlers/actions/sweep/cancel_announced_stops.h"

#include <algorithm>
#include <string>
#include <vector>

#include "handlers/actions/stop/grace.h"

namespace trainwarden::actions {
namespace {

bool may_hold(const Considered& considered, const std::string& rule) {
  const rules::Evaluation& now = considered.evaluation;
  return std::ranges::find(now.decisions, rule, &rules::Decision::rule) != now.decisions.end() ||
         std::ranges::find(now.skipped, rule, &rules::Skipped::rule) != now.skipped.end();
}

bool may_be_in_alarm(const aws::JobName& job, const AlarmCensus& alarms) {
  return !alarms.covers(job.view()) ||
         std::ranges::find(alarms.firing, job.view(), &AlarmCensus::Firing::job) !=
             alarms.firing.end();
}

}  // namespace

Result<void> cancel_announced_stops(const aws::JobName& job, const ConsideredDue& due,
                                    const AlarmCensus& alarms, const rules::JobEvent& sweep,
                                    const ActivePolicy& rules, const Apis& apis) {
  std::vector<std::string> over = announced_by(due.id, apis);
  if (over.empty() || rules.ceiling != rules::Mode::kEnforce) return {};
  if (due.is_it && due.sources.job()->status == rules::JobStatus::kInProgress) {
    if (may_be_in_alarm(job, alarms)) return {};
    const Considered now = consider(rules, {job, {}}, sweep, apis);
    if (now.record.error) return {};
    std::erase_if(over, [&](const std::string& rule) { return may_hold(now, rule); });
  }
  if (over.empty()) return {};
  return end_graces(due.id, over, apis);
}

}  // namespace trainwarden::actions
