#include "handlers/actions/handle/queue_copy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/restart/finish_restart.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::Why;
using Kind = rules::ActionResult::Kind;

// Whether the restart could not be ordered only because of the moment: an error, or a limit.
bool waits(const ActionOutcome& restart) {
  if (restart.error) return true;
  return restart.result.is(Kind::kHeldBack) && (restart.result.is_because(Why::kRestartsPerHour) ||
                                                restart.result.is_because(Why::kWaitsItsTurn));
}

// The rules that ask for a copy of the job and may get it later. A job that a sweep meets but
// cannot look at has none, since nobody has decided on it yet.
std::vector<std::string> waiting_rules(const Subject& subject, QueueWait waited,
                                       const Record& record) {
  const auto all = subject.rules.policy.rules();
  const bool decided =
      subject.sources.event().trigger == rules::Trigger::kState || waited != QueueWait::kNot;
  // If the restart under way failed with an error, its end is unknown, so every rule that asks for
  // a copy waits.
  const bool unknown_end = decided && record.restart && record.restart->error;
  std::vector<std::string> out;
  for (const DecisionOutcome& one : record.decisions) {
    if (restart_of(one.decision) == nullptr) continue;
    const auto restart =
        std::ranges::find(one.actions, ActionKind::kRestart, &ActionOutcome::action);
    if (unknown_end || (restart != one.actions.end() && waits(*restart)))
      out.push_back(rules::rule_item_id(all[one.decision.index].text));
  }
  for (const rules::Skipped& one : record.skipped) {
    const rules::Rule& rule = all[one.index];
    if (one.comes_again && decided && waited != QueueWait::kTooLong &&
        rule.has(ActionKind::kRestart) &&
        effective_mode(subject.rules.policy, rule, subject.rules.ceiling) == rules::Mode::kEnforce)
      out.push_back(rules::rule_item_id(rule.text));
  }
  return out;
}

// According to the event or to Describe, since either may lag behind the other.
bool has_job_ended(const rules::Sources& sources) {
  return rules::is_terminal(sources.event().training_job_status.value_or("")) ||
         (sources.job() != nullptr && sources.job()->has_ended());
}

// Whether the job's own item already holds a pending copy, which needs no place in the queue.
bool is_pending(const rules::Sources& sources, const Apis& apis) {
  if (sources.job() == nullptr) return false;
  const auto id = job_item_id(*sources.job());
  if (!id) return false;
  const auto item = last_job_item(*id, apis);
  return item && rules::has_pending_copy(*item);
}

}  // namespace

const rules::Action* restart_of(const rules::Decision& decision) {
  if (decision.mode != rules::Mode::kEnforce) return nullptr;
  const auto found =
      std::ranges::find(decision.actions, ActionKind::kRestart, &rules::Action::kind);
  return found == decision.actions.end() ? nullptr : &*found;
}

void update_queue(const Subject& subject, QueueWait waited, Record& record) {
  const auto& [rules, job, sources, apis, queued] = subject;
  if (!apis.table || apis.powers.copy == nullptr || rules.mode() < rules::Mode::kEnforce ||
      sources.event().trigger == rules::Trigger::kAlarm)
    return;
  std::vector<std::string> asked;
  const bool waits_now = waited != QueueWait::kNot;
  if (waits_now || has_job_ended(sources)) asked = waiting_rules(subject, waited, record);
  // After an error nothing is known, so the queue stays as it is.
  if (asked.empty() && (!waits_now || record.error)) return;
  const bool goes_on = !asked.empty() && !is_pending(sources, apis);
  if (!goes_on && !waits_now) return;
  const rules::TrainingJob* const described = sources.job();
  const auto created = described != nullptr && described->created ? described->created
                                                                  : sources.event().creation_time;
  const auto written =
      change_queue_item(job.name.view(), apis, [&](rules::QueueItem item, sys_seconds now) {
        return goes_on ? rules::enqueue(std::move(item), asked, created, now)
                       : rules::dequeue(std::move(item));
      });
  if (!written && !record.failure()) record.error = written.error();
}

std::optional<ActionOutcome> end_waiting(const Subject& subject,
                                         std::span<const rules::Decision> decisions) {
  for (const rules::Decision& decision : decisions)
    if (const rules::Action* const restart = restart_of(decision))
      return close_overdue(subject, decision, restart->restart);
  return std::nullopt;
}

}  // namespace trainwarden::actions
