#include "handlers/actions/stop/stop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/stop/grace.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/actions/stop/stop_tuner.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/state/begin_steps.h"

namespace trainwarden::actions {
namespace {

using Kind = rules::ActionResult::Kind;
using rules::Why;

ActionOutcome stop_done(rules::ActionResult result) {
  return {rules::ActionKind::kStop, std::move(result)};
}

ActionOutcome denied_before(const rules::JobItem& item) {
  return stop_done(rules::not_done(rules::denial_of(item, Why::kStopDeniedToday)));
}

// An announced stop that is not done although its rule holds stays announced.
ActionOutcome announced_still(const Subject& subject, const Rechecked& rechecked,
                              const std::string& id, const rules::JobItem& item,
                              ActionOutcome outcome) {
  const auto kept = review_graces(id, item, {&rechecked.decision->rule, 1}, {}, subject.apis);
  if (!kept) return failed(rules::ActionKind::kStop, kept.error());
  return outcome;
}

Result<void> note_answer(const std::string& id, const rules::StopOrder& order,
                         const Result<void>& answer, const Apis& apis) {
  // If the answer was lost, or the failure may pass, the stop may still have been carried out: the
  // job's next event, or the next delivery, tells.
  if (!answer && !rules::refused_for_good(answer.error())) return {};
  CHECK_OK(change_job_item(id, apis, [&](rules::JobItem item, sys_seconds now) {
    if (answer) return rules::stop_accepted(std::move(item), order, now);
    return rules::stop_refused(std::move(item), name(answer.error().code), now);
  }));
  return {};
}

ActionOutcome stop_braked(const Subject& subject, const Rechecked& rechecked, const std::string& id,
                          const BrakeSlot& slot) {
  const JobRef& job = subject.job;
  const Apis& apis = subject.apis;
  const rules::StopOrder order{rechecked.decision->rule, reason_of(*rechecked.decision)};
  const std::vector<Prepared> notices = prepare_for_act(
      subject, *rechecked.decision, *rechecked.sources, rules::NoticeOutcome::kStopped);
  rules::StopDecision decision{};
  const auto begun = change_job_item(id, apis, [&](rules::JobItem item, sys_seconds now) {
    auto step = rules::begin_stop(std::move(item), order, now);
    decision = step.decision;
    if (decision != rules::StopDecision::kStop) return std::move(step.next);
    return claim(std::move(step.next), notices, apis, now);
  });
  if (!begun) return failed(rules::ActionKind::kStop, begun.error());
  if (decision == rules::StopDecision::kRefusedNow) return denied_before(*begun);
  if (decision == rules::StopDecision::kCopyUnderWay)
    return stop_done(rules::not_done(Why::kHasEnded));

  // Tags come first, so that the owner finds the reason as soon as the job stops. If the job takes
  // no tags (it has 50, or a tag policy forbids them), it is stopped all the same.
  const auto tagged = add_stop_tags(rechecked.arn, *rechecked.decision, apis);
  const auto stopped = apis.sagemaker.stop_training_job(job.name, calls_until(slot, apis));
  const auto noted = note_answer(id, order, stopped, apis);
  ActionOutcome outcome = stop_done({Kind::kStopped});
  outcome.saved_usd = rechecked.avoidable_usd;
  if (!stopped && stopped.error().code == ErrorCode::kConflict)
    outcome = stop_done({Kind::kEndedBefore});
  else if (!stopped && stopped.error().code == ErrorCode::kNotFound)
    outcome = stop_done(rules::not_done(Why::kGone));
  else if (!stopped)
    outcome = failed(rules::ActionKind::kStop, stopped.error());
  // The job stops all the same: its item holds the reason, and the Stopping event completes the
  // item.
  if (!noted && !outcome.error) outcome.error = noted.error();
  if (!tagged) outcome.note = tagged.error().message;
  return outcome;
}

}  // namespace

ActionOutcome stop(const Subject& subject, const rules::Decision& decision) {
  const Apis& apis = subject.apis;
  auto rechecked = recheck(subject, decision);
  if (!rechecked) return failed(rules::ActionKind::kStop, std::move(rechecked).error());
  if (!rechecked->decision) return stop_done(rules::not_done(*std::move(rechecked->reason)));
  const auto& actions = rechecked->decision->actions;
  const auto asked = std::ranges::find(actions, rules::ActionKind::kStop, &rules::Action::kind);
  const rules::TrainingJob& job = *rechecked->sources->job();
  const auto tuner =
      asked != actions.end() && rules::stops_tuner(*asked) ? rules::tuner_of(job) : std::nullopt;
  if (job.status != rules::JobStatus::kInProgress) {
    // Many jobs of a tuner end together, and none of them is worth a notice.
    if (tuner) return stop_done(rules::not_done(Why::kHasEnded));
    return stop_done({.kind = Kind::kEndedBefore, .name = std::string(job.status_text)});
  }
  if (asked == actions.end()) return stop_done(rules::not_done(Why::kNoLongerAsked));
  if (tuner)
    if (auto outcome = stop_tuner(subject, *rechecked, *tuner)) return *std::move(outcome);
  const auto id = job_item_id(job);
  if (!id) return failed(rules::ActionKind::kStop, id.error());
  const auto item = read_job_item(*id, apis);
  if (!item) return failed(rules::ActionKind::kStop, item.error());
  // Checked before a slot of the brake is taken, so that a job whose stop is denied does not use up
  // the slots of others.
  if (rules::is_refused_now(*item, apis.now()))
    return announced_still(subject, *rechecked, *id, *item, denied_before(*item));
  if (auto waits = handle_grace(subject, *rechecked, *asked, *id, *item)) return *std::move(waits);
  const auto slot =
      take_brake_slot(brake_ask(*id, *item, *rechecked->decision, job, false, subject), subject);
  if (!slot) return failed(rules::ActionKind::kStop, slot.error());
  if (slot->held)
    return announced_still(subject, *rechecked, *id, *item,
                           stop_done({.kind = Kind::kHeldBack, .reason = slot->held}));
  return stop_braked(subject, *rechecked, *id, *slot);
}

}  // namespace trainwarden::actions
