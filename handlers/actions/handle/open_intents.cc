#include "handlers/actions/handle/open_intents.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/state/end_steps.h"
#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::OpenIntent;
using rules::Reason;
using rules::Why;

// The recorded outcome of that rule's action, or of any rule's; nullptr if there is none.
const ActionOutcome* recorded_outcome(const Record& record, ActionKind kind,
                                      std::optional<std::string_view> rule) {
  for (const DecisionOutcome& one : record.decisions)
    if (!rule || one.decision.rule == *rule)
      for (const ActionOutcome& action : one.actions)
        if (action.action == kind) return &action;
  return nullptr;
}

// Why the outcome left something undone; nullopt if it does not say.
std::optional<Reason> reason_of(const ActionOutcome* outcome) {
  if (outcome == nullptr) return std::nullopt;
  if (outcome->error) return rules::because_of(*outcome->error);
  return outcome->result.reason;
}

bool runs(const rules::TrainingJob* job) {
  return job == nullptr || job->status == rules::JobStatus::kInProgress ||
         job->status == rules::JobStatus::kUnknown;
}

void add_stop(const rules::JobItem& item, const rules::TrainingJob* job, const Record& record,
              std::vector<OpenIntent>& out) {
  // A job that is stopping has what was asked for, whatever the answer was.
  if (!item.stop || item.stop->accepted || !runs(job)) return;
  const auto why = reason_of(recorded_outcome(record, ActionKind::kStop, item.stop->rule));
  out.push_back({.kind = OpenIntent::Kind::kStop,
                 .rule = item.stop->rule,
                 .since = item.stop->at,
                 .why = why.value_or(Reason{.why = Why::kStopUnanswered})});
}

// A stop by any rule ends the stops that other rules announced.
void add_graces(const rules::JobItem& item, const rules::TrainingJob* job,
                std::vector<OpenIntent>& out) {
  if (item.stop || !runs(job)) return;
  for (const auto& [rule, grace] : item.graces)
    out.push_back({.kind = OpenIntent::Kind::kGrace,
                   .rule = rule,
                   .since = grace.at,
                   .until = grace.until,
                   .why = {.why = Why::kStopsLater, .at = grace.until}});
}

Reason why_not_copied(const rules::JobItem& item, const rules::TrainingJob* job,
                      const Record& record) {
  if (const auto why = reason_of(record.restart ? &*record.restart : nullptr)) return *why;
  // Where only the copy is recorded, the rule that asked for it is unknown.
  const auto rule =
      item.restart ? std::optional<std::string_view>(item.restart->rule) : std::nullopt;
  if (const auto why = reason_of(recorded_outcome(record, ActionKind::kRestart, rule))) return *why;
  if (item.waits) return {.why = Why::kSameMachines, .at = *item.waits};
  if (job == nullptr || !job->has_ended()) return {.why = Why::kNotEnded};
  return {.why = Why::kCopyUnanswered};
}

void add_copy(const rules::JobItem& item, const rules::TrainingJob* job, const Record& record,
              std::vector<OpenIntent>& out) {
  if (!rules::has_pending_copy(item)) return;
  OpenIntent one{.kind = item.copy ? OpenIntent::Kind::kCopy : OpenIntent::Kind::kRestart};
  if (item.restart) one.rule = item.restart->rule;
  if (item.copy)
    one.since = item.copy->at;
  else
    one.since = item.restart->at;
  if (job != nullptr && job->ended()) one.until = *job->ended() + rules::kCopiedWithin;
  one.why = why_not_copied(item, job, record);
  out.push_back(std::move(one));
}

// The errors of notices that could not be published just now, by rule.
std::vector<std::pair<std::string, Error>> unpublished(const Record& record) {
  std::vector<std::pair<std::string, Error>> out;
  for (const DecisionOutcome& one : record.decisions)
    for (const ActionOutcome& action : one.actions)
      if (action.action == ActionKind::kNotify && action.error)
        out.emplace_back(one.decision.rule, *action.error);
  for (const PendingNotice& pending : record.pending_notices)
    if (pending.outcome.error) out.emplace_back(pending.rule, *pending.outcome.error);
  return out;
}

void add_notices(const rules::JobItem& item, const Record& record, const Apis& apis,
                 std::vector<OpenIntent>& out) {
  const auto failed = unpublished(record);
  for (const auto& [key, notice] : item.notices) {
    if (notice.claim.done) continue;
    OpenIntent one{.kind = OpenIntent::Kind::kNotice,
                   .rule = rule_of_claim(key, notice),
                   .since = notice.claim.at};
    const auto error = std::ranges::find(failed, one.rule, [](const auto& of) { return of.first; });
    if (error != failed.end())
      one.why = rules::because_of(error->second);
    else
      one.why = {.why =
                     notice.claim.by == apis.request ? Why::kNotYetTold : Why::kClaimedByAnother};
    out.push_back(std::move(one));
  }
}

}  // namespace

std::string seen_item_of(std::string_view job_name, const rules::TrainingJob* job,
                         const Apis& apis) {
  if (job != nullptr) return job_item_id(*job).value_or(std::string());
  const auto found = apis.last_items.lower_bound(rules::job_item_id(job_name, sys_millis()));
  const auto is_of_it = [&](auto item) {
    const auto of = item == apis.last_items.end() ? std::nullopt : rules::job_of_item(item->first);
    return of && of->name == job_name;
  };
  if (!is_of_it(found) || is_of_it(std::next(found))) return {};
  return found->first;
}

std::vector<OpenIntent> open_intents_of(const std::string& id, const rules::TrainingJob* job,
                                        const Record& record, const Apis& apis) {
  std::vector<OpenIntent> out;
  if (!apis.last_items.contains(id)) return out;
  const auto item = last_job_item(id, apis);
  if (!item) return out;
  add_stop(*item, job, record, out);
  add_graces(*item, job, out);
  add_copy(*item, job, record, out);
  add_notices(*item, record, apis, out);
  return out;
}

}  // namespace trainwarden::actions
