#include "handlers/actions/restart/restart.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/checkpoint.h"
#include "handlers/actions/fetch/quotas.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/actions/restart/finish_restart.h"
#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/restart/machines_in_order.h"
#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/end_steps.h"

namespace trainwarden::actions {
namespace {

using rules::ActionResult;
using rules::Reason;
using rules::Why;
using Kind = ActionResult::Kind;

ActionOutcome done(ActionResult result) { return {rules::ActionKind::kRestart, std::move(result)}; }
ActionOutcome gone() { return done(rules::not_done(Why::kGone)); }
ActionOutcome error_of(Error error) {
  return failed(rules::ActionKind::kRestart, std::move(error));
}

// Whether two looks saw the job in the same state. Either may be out of date.
bool is_same_state(const rules::TrainingJob& a, const rules::TrainingJob& b) {
  const auto steps = [](const rules::TrainingJob& job) {
    return job.transitions ? job.transitions->size() : 0;
  };
  return a.status == b.status && a.secondary_text == b.secondary_text && steps(a) == steps(b);
}

// One rule's restart of one job.
class Restarting {
 public:
  Restarting(const Subject& subject, const rules::Decision& decision, const rules::Action& action,
             const JobSnapshot& original, const std::string& id)
      : subject_(subject),
        apis_(subject.apis),
        decision_(decision),
        options_(action.restart),
        original_(original),
        id_(id),
        order_{.rule = decision.rule,
               .why = reason_of(decision),
               .spot = options_.spot,
               .types = options_.instance_types,
               .settings = options_.settings} {}

  ActionOutcome go() {
    auto read = read_job_item(id_, apis_);
    if (!read) return error_of(std::move(read).error());
    item_ = *std::move(read);
    if (item_.copy && item_.copy->made)
      return done({.kind = Kind::kCopiedBefore, .name = item_.copy->name});
    const bool ended = rules::is_terminal(original_.status());
    // A pending copy goes before what the rule asks for now.
    if (ended && rules::has_pending_copy(item_)) return go_on();
    if (original_.status() == rules::JobStatus::kStopping)
      return done({.kind = Kind::kEndedBefore, .name = "Stopping"});
    if (auto held = held_by_guard(ended)) return *std::move(held);
    return ended ? order() : begin();
  }

 private:
  // The guards; nullopt if the restart may go on. For a running job, the guards that its copy will
  // meet are checked before it is stopped.
  std::optional<ActionOutcome> held_by_guard(bool ended) {
    // Return before the brake: each sweep asks again, and would renew a slot that nobody uses.
    if (item_.closed && rules::is_final(item_.closed->why))
      return done(rules::refused(Why::kClosed));
    if (auto why = rules::why_stopped(original_.job(), item_, apis_.now()))
      return done(rules::refused(*std::move(why)));
    const auto why = ended ? restart_refusal(original_, options_, apis_)
                           : preflight_refusal(original_, options_, apis_);
    if (!why) return error_of(why.error());
    if (*why) return done(rules::refused(**why));
    if (ended) return std::nullopt;
    const auto quota = why_quota_refuses(original_, options_, apis_);
    if (!quota) return error_of(quota.error());
    if (*quota) return done(rules::refused(**quota));
    return std::nullopt;
  }

  ActionOutcome go_on() {
    if (auto out = settle_end(subject_, id_, item_, original_, &decision_)) return *std::move(out);
    return done(rules::not_done(Why::kDoneEarlier));
  }

  // For a job that has ended: records the copy that is due, then creates it.
  ActionOutcome order() {
    if (subject_.sources.event().trigger == rules::Trigger::kSweep && !subject_.queued) {
      const auto since = enforced_since(rule_text(), apis_);
      if (!since) return error_of(since.error());
      const auto ended = original_.job().ended();
      if (!ended || *ended < *since)
        return done(rules::not_done(Reason{.why = Why::kRuleIsNewer, .at = *since}));
    }
    const auto slot = take_brake_slot({.who = id_, .copy = true, .role = role()}, subject_);
    if (!slot) return error_of(slot.error());
    if (slot->held) return done({.kind = Kind::kHeldBack, .reason = slot->held});
    const rules::CopyChanges changes = rules::changes_for(
        original_.job(), options_.spot, options_.instance_types, options_.settings);
    const auto waits = rules::wait_for_capacity(original_.job(),
                                                original_.lineage.generation.value_or(0), changes);
    rules::OrderDecision ordered{};
    auto written = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      auto step = rules::order_copy(std::move(item), order_, waits,
                                    rules::observed_job(original_.job()), now);
      ordered = step.decision;
      return std::move(step.next);
    });
    if (!written) return error_of(std::move(written).error());
    item_ = *std::move(written);
    switch (ordered) {
      case rules::OrderDecision::kOrdered:
      case rules::OrderDecision::kPendingBefore:
      case rules::OrderDecision::kCopied:
        return go_on();
      case rules::OrderDecision::kStoppedForGood:
        return done(rules::refused(Why::kRuleStopped));
      case rules::OrderDecision::kClosedForGood:
        return done(rules::refused(Why::kClosed));
    }
    return done(rules::not_done(Why::kDoneEarlier));
  }

  std::string role() const { return std::string(original_.job().role_arn); }

  const std::string& rule_text() const {
    return subject_.rules.policy.rules()[decision_.index].text;
  }

  // For a running job: records the restart, then stops the job.
  ActionOutcome begin() {
    if (rules::is_refused_now(item_, apis_.now())) return denied_before();
    // Comes before the slot of the brake, which is valid for a moment only.
    resume_ = look_for_checkpoint(original_.job(), apis_);
    const auto slot = take_brake_slot(
        brake_ask(id_, item_, decision_, original_.job(), true, subject_), subject_);
    if (!slot) return error_of(slot.error());
    if (slot->held) return done({.kind = Kind::kHeldBack, .reason = slot->held});
    const std::string attempt = new_mark(apis_);
    const std::vector<Prepared> notices = prepare_for_act(
        subject_, decision_, original_.sources, rules::NoticeOutcome::kRestarted, resume_);
    rules::RestartDecision begun{};
    auto written = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      auto step = rules::begin_restart(std::move(item), order_, attempt,
                                       rules::observed_job(original_.job()), now);
      begun = step.decision;
      if (begun != rules::RestartDecision::kStop) return std::move(step.next);
      return claim(std::move(step.next), notices, apis_, now);
    });
    if (!written) return error_of(std::move(written).error());
    item_ = *std::move(written);
    if (begun != rules::RestartDecision::kStop) return not_begun(begun);
    return stop(attempt, *slot);
  }

  ActionOutcome denied_before() const {
    return done(rules::not_done(rules::denial_of(item_, Why::kStopDeniedToday)));
  }

  ActionOutcome not_begun(rules::RestartDecision decision) const {
    switch (decision) {
      case rules::RestartDecision::kAcceptedBefore:
        return done({Kind::kStoppingToCopy});
      case rules::RestartDecision::kAnotherBegun:
        return done(
            rules::not_done(Reason{.why = Why::kAnotherBegun, .name = item_.restart->rule}));
      case rules::RestartDecision::kStoppedForGood:
        return done(rules::refused(Why::kRuleStops));
      case rules::RestartDecision::kRefusedNow:
        return denied_before();
      case rules::RestartDecision::kCopied:
        return done(rules::not_done(Why::kCopied));
      case rules::RestartDecision::kClosedForGood:
      case rules::RestartDecision::kStop:
        break;
    }
    return done(rules::refused(Why::kClosed));
  }

  ActionOutcome stop(const std::string& attempt, const BrakeSlot& slot) {
    const auto tagged = apis_.sagemaker.add_tags(
        original_.job().arn, reason_tags(rules::kRestartAction, decision_, apis_.now()),
        apis_.context);
    const auto stopped =
        apis_.sagemaker.stop_training_job(subject_.job.name, calls_until(slot, apis_));
    ActionOutcome out = answered(stopped);
    if (stopped) out.result.resume = resume_;
    const auto noted = note_answer(attempt, stopped);
    if (!noted && !out.error) out.error = noted.error();
    if (!tagged) out.note = tagged.error().message;
    return out;
  }

  static ActionOutcome answered(const Result<void>& stopped) {
    if (stopped) return done({Kind::kStoppingToCopy});
    if (stopped.error().code == ErrorCode::kConflict) return done({Kind::kEndedBefore});
    if (stopped.error().code == ErrorCode::kNotFound) return gone();
    return error_of(stopped.error());
  }

  // If the answer was lost, the stop may have been carried out; the job's end will tell.
  Result<void> note_answer(const std::string& attempt, const Result<void>& stopped) {
    if (!stopped && may_have_been_done(stopped.error())) return {};
    CHECK_OK(change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      if (stopped) return rules::restart_accepted(std::move(item), order_, now);
      const ErrorCode code = stopped.error().code;
      if (rules::refused_for_good(stopped.error()))
        return rules::restart_denied(std::move(item), attempt, name(code), now);
      const bool conflict = code == ErrorCode::kConflict || code == ErrorCode::kNotFound;
      return rules::restart_not_done(
          std::move(item), attempt, conflict ? rules::Closed::kConflict : rules::Closed::kThrottled,
          now);
    }));
    return {};
  }

  static bool may_have_been_done(const Error& error) {
    return error.code == ErrorCode::kConnection || error.code == ErrorCode::kTimeout ||
           error.code == ErrorCode::kServiceFault || error.code == ErrorCode::kDeadline ||
           error.code == ErrorCode::kBadResponse || error.code == ErrorCode::kTooLarge;
  }

  const Subject& subject_;
  const Apis& apis_;
  const rules::Decision& decision_;
  const rules::Restart& options_;
  const JobSnapshot& original_;
  const std::string& id_;
  rules::RestartOrder order_;
  rules::JobItem item_;
  std::optional<rules::Resume> resume_ = {};
};

}  // namespace

Result<std::optional<rules::Sources>> read_parent(const JobSnapshot& original, const Apis& apis) {
  const auto name = aws::JobName::parse(original.lineage.parent);
  if (!name) return std::nullopt;
  auto describe = apis.sagemaker.describe_training_job(*name, apis.context);
  if (!describe && describe.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!describe) return fail(std::move(describe).error());
  rules::Sources parent{rules::JobEvent()};
  parent.set(rules::Source::kDescribe, *std::move(describe));
  const auto created = original.job().created;
  const auto created_parent = parent.job() != nullptr ? parent.job()->created : std::nullopt;
  if (!created || !created_parent || *created_parent > *created) return std::nullopt;
  return parent;
}

Result<std::optional<Reason>> restart_refusal(const JobSnapshot& original,
                                              const rules::Restart& options, const Apis& apis) {
  const rules::RestartCase job = original.restart_case(apis);
  if (auto refusal = rules::why_no_copy(job)) return refusal;
  if (auto refusal = rules::why_not_allowed(
          original.job(), rules::machines_in_order(original.job(), rules::asked_by(options)),
          apis.config.copy_instance_types))
    return refusal;
  std::optional<rules::Sources> parent;
  if (rules::needs_parent(job, options)) {
    TRY(parent, read_parent(original, apis));
  }
  return rules::why_no_restart(job, options, parent ? parent->job() : nullptr);
}

Result<std::optional<Reason>> preflight_refusal(const JobSnapshot& original,
                                                const rules::Restart& options, const Apis& apis) {
  TRY(auto why, restart_refusal(original, options, apis));
  if (why) return why;
  TRY(why, why_checkpoint_is_taken(original, apis));
  if (why) return why;
  const rules::CopyChanges changes =
      rules::changes_for(original.job(), options.spot, options.instance_types, options.settings);
  const auto body = original.copy_request(changes, "copy", original.copy_parts());
  if (!body) return body.error();
  return std::nullopt;
}

Result<bool> would_copy(const JobSnapshot& original, const rules::Restart& options,
                        const Apis& apis) {
  TRY(const std::string id, job_item_id(original.job()));
  TRY(const rules::JobItem item, read_job_item(id, apis));
  const bool closed = item.closed && rules::is_final(item.closed->why);
  if (item.copy || closed || rules::has_pending_copy(item)) return false;
  if (rules::why_stopped(original.job(), item, apis.now())) return false;
  TRY(const auto refused, preflight_refusal(original, options, apis));
  return !refused;
}

ActionOutcome restart(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action) {
  const Apis& apis = subject.apis;
  const rules::JobEvent& event = subject.sources.event();
  // Waits before the look, so that no time passes between the look and the stop.
  if (event.creation_time)
    if (auto settled = wait_until_settled(*event.creation_time, apis); !settled)
      return error_of(std::move(settled).error());
  auto look = recheck(subject, decision);
  if (!look) return error_of(std::move(look).error());
  if (!look->decision) return done(rules::not_done(*std::move(look->reason)));
  if (std::ranges::find(look->decision->actions, action) == look->decision->actions.end())
    return done(rules::not_done(Why::kNoLongerAsked));
  const auto original =
      read_settled_snapshot({subject.job.name, look->arn}, event.creation_time, apis);
  if (!original && original.error().absent) return done(rules::not_done(*original.error().absent));
  if (!original) return error_of(original.error().error);
  // Only the state on which the rule was decided is acted on: the event comes again.
  if (!is_same_state(*look->sources->job(), original->job()))
    return error_of({ErrorCode::kUnavailable, "the job's state changed between two looks at it"});
  // Left to a function that may make copies: it gets the job's own event, or sweeps.
  if (rules::is_terminal(original->status()) && apis.powers.copy == nullptr)
    return done(rules::not_done(Why::kHasEnded));
  const auto id = job_item_id(original->job());
  if (!id) return error_of(id.error());
  return Restarting(subject, *look->decision, action, *original, *id).go();
}

}  // namespace trainwarden::actions
