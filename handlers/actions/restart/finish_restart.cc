#include "handlers/actions/restart/finish_restart.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "handlers/actions/restart/pending_copy.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/state/end_steps.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::ActionResult;
using rules::Closed;
using rules::Reason;
using rules::Settlement;
using rules::Source;
using rules::Why;
using Kind = ActionResult::Kind;

ActionOutcome end_of(ActionResult result) { return {ActionKind::kRestart, std::move(result)}; }

// Mode observe neither reads nor writes the table.
bool may_finish(const Apis& apis, rules::Mode ceiling) {
  return apis.powers.copy != nullptr && apis.table.has_value() && ceiling > rules::Mode::kObserve;
}

bool is_stopped_or_failed(rules::JobStatus status) {
  return status == rules::JobStatus::kStopped || status == rules::JobStatus::kFailed;
}

// According to the event or to Describe, since either may lag behind the other.
bool may_have_pending_copy(const rules::Sources& sources) {
  const auto& status = sources.event().training_job_status;
  return is_stopped_or_failed(rules::job_status(status.value_or(""))) ||
         (sources.job() != nullptr && is_stopped_or_failed(sources.job()->status));
}

// The error of the source that would tell whether a copy is pending (F1); nullptr if it is known.
const Error* unknown_end(const rules::Sources& sources) {
  if (may_have_pending_copy(sources) || !sources.event().training_job_status)
    return sources.unavailable(Source::kDescribe);
  return nullptr;
}

Reason reason_of_end(Closed why, const rules::JobItem& item) {
  switch (why) {
    case Closed::kCompleted:
      return {.why = Why::kCompletedAllTheSame};
    case Closed::kStoppedForGood:
      return {.why = Why::kStoppedAfterRestart};
    case Closed::kOverdue:
      return {.why = Why::kOverdue, .number = rules::kCopiedWithin.count()};
    case Closed::kGone:
      return {.why = Why::kGone};
    case Closed::kNameTaken:
      return {.why = Why::kNameTaken, .name = item.copy ? item.copy->name : std::string()};
    case Closed::kRefused:
      return {.why = Why::kClosed};
    default:
      return {.why = Why::kNotStoppedByRestart,
              .at = item.restart ? item.restart->at : sys_seconds()};
  }
}

// Brings a restart that the table lists as pending to its end.
class Ending {
 public:
  // item: as read last. original: nullptr if the job is gone.
  Ending(const Subject& subject, const std::string& id, const rules::JobItem& item,
         const JobSnapshot* original, const rules::Decision* asked)
      : subject_(subject),
        apis_(subject.apis),
        id_(id),
        item_(item),
        original_(original),
        asked_(asked) {}

  std::optional<ActionOutcome> go_on() {
    const Settlement settled = rules::settle(item_, observed(), apis_.now());
    switch (settled.kind) {
      case Settlement::Kind::kNothingOwed:
        return std::nullopt;
      case Settlement::Kind::kNotYet:
        return not_yet(settled);
      case Settlement::Kind::kClose:
        if (!observed().has_ended()) return take_back(settled.why);
        return held_by_mode() ? held() : close(settled.why, reason_of_end(settled.why, item_));
      case Settlement::Kind::kMakeCopy:
        break;
    }
    return held_by_mode() ? held() : make();
  }

 private:
  rules::ObservedJob observed() const {
    if (original_ == nullptr) return {.status = rules::ObservedJob::Status::kGone};
    return rules::observed_job(original_->job());
  }

  // Only the environment's mode counts: a weaker mode of the rule or of the policy leaves no
  // restart half done.
  bool held_by_mode() const { return subject_.rules.ceiling < rules::Mode::kEnforce; }
  ActionOutcome held() const {
    return end_of({.kind = Kind::kHeldBack,
                   .reason = Reason{.why = Why::kModeHoldsBack,
                                    .name = std::string(name(subject_.rules.ceiling)),
                                    .number = rules::kCopiedWithin.count()}});
  }

  std::optional<ActionOutcome> not_yet(const Settlement& settled) const {
    if (!observed().has_ended()) return std::nullopt;
    if (item_.waits && settled.until == item_.waits)
      return end_of(
          {.kind = Kind::kWaits, .reason = Reason{.why = Why::kSameMachines, .at = *item_.waits}});
    return failed(ActionKind::kRestart,
                  {ErrorCode::kUnavailable,
                   "the function that stopped the job may be about to write its answer"});
  }

  // The job runs on, and nobody was told of the restart: so nobody is told that it ends.
  std::optional<ActionOutcome> take_back(Closed why) const {
    if (held_by_mode()) return std::nullopt;
    const auto written = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      if (rules::settle(item, observed(), now).kind != Settlement::Kind::kClose) return item;
      return rules::close_copy(std::move(item), why, now).next;
    });
    if (!written) return failed(ActionKind::kRestart, written.error());
    return end_of(rules::not_done(Why::kNoLongerAsked));
  }

  // Records the end and its notice in one write, so that nothing ends without a notice.
  ActionOutcome close(Closed why, Reason reason) {
    if (auto copied = made_before(why)) return *std::move(copied);
    ActionOutcome out = end_of({.kind = Kind::kRestartClosed, .reason = std::move(reason)});
    const ActionOutcome told = end_of({.kind = Kind::kRefusedAtEnd, .reason = out.result.reason});
    const rules::Sources nothing{subject_.sources.event()};
    const rules::Sources& sources = original_ != nullptr ? original_->sources : nothing;
    const std::vector<Prepared> notices = prepare_end(subject_, sources, *item_.restart, asked_,
                                                      rules::NoticeOutcome::kRefused, told);
    bool closed = false;
    const auto written = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      const bool by_guard = why == Closed::kRefused || why == Closed::kNameTaken;
      const Settlement settled = rules::settle(item, observed(), now);
      closed = by_guard || settled == Settlement{.kind = Settlement::Kind::kClose, .why = why};
      if (!closed) return item;
      auto step = rules::close_copy(std::move(item), why, now);
      closed = step.decision;
      return closed ? claim(std::move(step.next), notices, apis_, now) : std::move(step.next);
    });
    if (!written) return failed(ActionKind::kRestart, written.error());
    if (!closed) return end_of(rules::not_done(Why::kDoneEarlier));
    return out;
  }

  // A delivery that claimed the copy may have made it and died. Then nothing is refused.
  std::optional<ActionOutcome> made_before(Closed why) {
    if (!item_.copy || original_ == nullptr || why == Closed::kNameTaken) return std::nullopt;
    auto copied = apis_.powers.copy(
        {.id = id_, .item = item_, .original = *original_, .asked = asked_, .only_find = true},
        subject_);
    if (!copied) return failed(ActionKind::kRestart, std::move(copied).error());
    if (copied->how != Copied::How::kAlready) return std::nullopt;
    return end_of(
        {.kind = Kind::kCopiedBefore, .name = std::move(copied->name), .resume = copied->resume});
  }

  std::optional<ActionOutcome> make() {
    auto copied = apis_.powers.copy({id_, item_, *original_, asked_}, subject_);
    if (!copied) return not_made(std::move(copied).error());
    switch (copied->how) {
      case Copied::How::kMade:
        return end_of({.kind = Kind::kCopied,
                       .reason = std::move(copied->reason),
                       .name = std::move(copied->name),
                       .resume = copied->resume});
      case Copied::How::kAlready:
        return end_of({.kind = Kind::kCopiedBefore,
                       .name = std::move(copied->name),
                       .resume = copied->resume});
      case Copied::How::kHeldBack:
        return end_of({.kind = Kind::kHeldBack, .reason = std::move(copied->reason)});
      case Copied::How::kRefused:
        break;
      case Copied::How::kNotPending:
        // Another delivery has decided meanwhile. If a copy is still pending, the next look finds
        // it.
        return end_of(rules::not_done(Why::kDoneEarlier));
    }
    const bool taken = copied->reason->why == Why::kNameTaken;
    return close(taken ? Closed::kNameTaken : Closed::kRefused, *std::move(copied->reason));
  }

  // AWS refused the copy: it stays pending, and a notice says why.
  ActionOutcome not_made(Error error) {
    ActionOutcome out = failed(ActionKind::kRestart, std::move(error));
    if (!rules::refused_for_good(*out.error)) return out;
    const auto notices = prepare_end(subject_, original_->sources, *item_.restart, asked_,
                                     rules::NoticeOutcome::kFailed, out);
    const auto claimed = change_job_item(id_, apis_, [&](rules::JobItem item, sys_seconds now) {
      return claim(std::move(item), notices, apis_, now);
    });
    if (!claimed) out.note = claimed.error().message;
    return out;
  }

  const Subject& subject_;
  const Apis& apis_;
  const std::string& id_;
  const rules::JobItem& item_;
  const JobSnapshot* original_;
  const rules::Decision* asked_;
};

std::optional<ActionOutcome> finish_item(const Subject& subject, const std::string& id,
                                         const rules::JobItem& item, bool gone) {
  const Apis& apis = subject.apis;
  if (!rules::has_pending_copy(item)) return std::nullopt;
  // The same machines were refused just now: not worth another attempt yet.
  if (!gone && item.waits && apis.now() < *item.waits)
    return end_of(
        {.kind = Kind::kWaits, .reason = Reason{.why = Why::kSameMachines, .at = *item.waits}});
  if (gone) return Ending(subject, id, item, nullptr, nullptr).go_on();
  const rules::JobEvent& event = subject.sources.event();
  const auto original = read_settled_snapshot(subject.job, event.creation_time, apis);
  if (!original && original.error().absent)
    return Ending(subject, id, item, nullptr, nullptr).go_on();
  if (!original) return failed(ActionKind::kRestart, original.error().error);
  // The event arrived before Describe shows the end, so it has to come again.
  if (!rules::is_terminal(original->status()) && event.training_job_status &&
      rules::is_terminal(*event.training_job_status))
    return failed(ActionKind::kRestart,
                  {ErrorCode::kUnavailable,
                   fmt::format("the event says {}, and DescribeTrainingJob still {}",
                               *event.training_job_status, original->job().status_text)});
  return settle_end(subject, id, item, *original, nullptr);
}

}  // namespace

rules::SourceSet needs_for_end(const rules::Sources& sources, rules::Mode ceiling,
                               const Apis& apis) {
  const bool asked = sources.job() != nullptr || sources.unavailable(Source::kDescribe) != nullptr;
  // An alarm is about a job that is training, which has no pending copy.
  if (!may_finish(apis, ceiling) || asked || sources.event().trigger == rules::Trigger::kAlarm)
    return {};
  if (!sources.event().training_job_status || may_have_pending_copy(sources))
    return {Source::kDescribe};
  return {};
}

std::optional<ActionOutcome> finish_restart(const Subject& subject, bool rule_asks) {
  const rules::Sources& sources = subject.sources;
  const Apis& apis = subject.apis;
  if (!may_finish(apis, subject.rules.ceiling) || sources.event().trigger == rules::Trigger::kAlarm)
    return std::nullopt;
  if (const Error* const why = unknown_end(sources)) return failed(ActionKind::kRestart, *why);
  const rules::TrainingJob* const job = sources.job();
  if (job == nullptr || !may_have_pending_copy(sources)) return std::nullopt;
  const auto id = job_item_id(*job);
  if (!id) return failed(ActionKind::kRestart, id.error());
  const auto item = read_job_item(*id, apis);
  if (!item) return failed(ActionKind::kRestart, item.error());
  if (rule_asks && item->restart && item->restart->of_ended) return std::nullopt;
  return finish_item(subject, *id, *item, false);
}

std::optional<ActionOutcome> finish_due(const Subject& subject, const std::string& id, bool gone) {
  const auto item = read_job_item(id, subject.apis);
  if (!item) return failed(ActionKind::kRestart, item.error());
  return finish_item(subject, id, *item, gone);
}

std::optional<ActionOutcome> settle_end(const Subject& subject, const std::string& id,
                                        const rules::JobItem& item, const JobSnapshot& original,
                                        const rules::Decision* asked) {
  return Ending(subject, id, item, &original, asked).go_on();
}

ActionOutcome close_overdue(const Subject& subject, const rules::Decision& asked,
                            const rules::Restart& options) {
  const Apis& apis = subject.apis;
  const auto original = read_settled_snapshot(subject.job, std::nullopt, apis);
  if (!original && original.error().absent)
    return end_of(rules::not_done(*original.error().absent));
  if (!original) return failed(ActionKind::kRestart, original.error().error);
  if (!rules::is_terminal(original->status())) return end_of(rules::not_done(Why::kNamesake));
  const auto id = job_item_id(original->job());
  if (!id) return failed(ActionKind::kRestart, id.error());
  const auto before = read_job_item(*id, apis);
  if (!before) return failed(ActionKind::kRestart, before.error());
  if (auto stopped = rules::why_stopped(original->job(), *before, apis.now()))
    return end_of(rules::refused(*std::move(stopped)));
  const rules::RestartOrder order{.rule = asked.rule,
                                  .why = reason_of(asked),
                                  .spot = options.spot,
                                  .types = options.instance_types,
                                  .settings = options.settings};
  const auto item = change_job_item(*id, apis, [&](rules::JobItem next, sys_seconds now) {
    return rules::order_copy(std::move(next), order, std::nullopt,
                             rules::observed_job(original->job()), now)
        .next;
  });
  if (!item) return failed(ActionKind::kRestart, item.error());
  // Passed without `asked`, so that a notice is sent whatever actions the rule has.
  if (auto out = settle_end(subject, *id, *item, *original, nullptr)) return *std::move(out);
  return end_of(rules::not_done(Why::kDoneEarlier));
}

}  // namespace trainwarden::actions
