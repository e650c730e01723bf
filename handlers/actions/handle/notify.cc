#include "handlers/actions/handle/notify.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "handlers/actions/fetch/alarm_since.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/state/notice_claims.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::NoticeOutcome;
using rules::Reason;
using rules::Source;
using rules::Why;
using Kind = rules::ActionResult::Kind;

ActionOutcome notified_as(Kind kind) { return {ActionKind::kNotify, {kind}}; }

ActionOutcome not_notified(Reason why) {
  return {ActionKind::kNotify, {.kind = Kind::kNotNotified, .reason = std::move(why)}};
}

std::vector<rules::ActionReport> reports_of(std::span<const ActionOutcome> outcomes) {
  std::vector<rules::ActionReport> out;
  for (const ActionOutcome& outcome : outcomes)
    if (outcome.action != ActionKind::kNotify)
      out.push_back({outcome.action, outcome.result, outcome.error ? &*outcome.error : nullptr,
                     outcome.saved_usd});
  return out;
}

// Reports of the actions that have been carried out.
std::vector<rules::ActionReport> reports_so_far(std::span<const ActionOutcome> outcomes) {
  std::vector<rules::ActionReport> out = reports_of(outcomes);
  std::erase_if(out, [](const rules::ActionReport& one) { return one.result.is(Kind::kPending); });
  return out;
}

// Operators get a notice of their own about whatever an hourly limit holds back.
bool is_held_by_the_hour(const rules::ActionReport& one) {
  return one.result.is(Kind::kHeldBack) && !one.result.is_because(Why::kStopsPerSweep);
}

bool acts_on_it(const rules::Decision& decision) {
  return decision.mode == rules::Mode::kEnforce &&
         std::ranges::any_of(decision.actions, rules::ends_match, &rules::Action::kind);
}

// What is known of the job when the notice is drafted.
struct Seen {
  rules::Sources sources;
  rules::Decision decision;
  // Why there is nothing to notify of; if set, the other members mean nothing.
  std::optional<Reason> not_notified = {};
};

Result<Seen> nothing(const Subject& subject, Reason why) {
  return Seen{rules::Sources(subject.sources.event()), {}, std::move(why)};
}

Result<void> fetch(rules::Sources& sources, rules::SourceSet needs, const Subject& subject,
                   std::optional<Reason>& gone) {
  const Gathered gathered = gather(sources, needs, subject.job, subject.apis);
  if (gathered == Gathered::kGone) gone = Reason{.why = Why::kGone};
  if (gathered == Gathered::kNamesake) gone = Reason{.why = Why::kNamesake};
  for (const Source source : needs)
    if (const Error* error = sources.unavailable(source))
      return fail(ErrorCode::kUnavailable, error->message);
  return {};
}

// A rule that only notifies, or may do no more, is decided again as before a stop, so that nobody
// is notified of a tag that is only late.
Result<Seen> look_again(const Subject& subject, const rules::Decision& decision) {
  TRY(Rechecked rechecked, recheck(subject, decision));
  if (!rechecked.decision) return nothing(subject, *std::move(rechecked.reason));
  Seen seen{*std::move(rechecked.sources), *std::move(rechecked.decision), {}};
  if (seen.sources.tags() == nullptr)
    CHECK_OK(fetch(seen.sources, {Source::kTags}, subject, seen.not_notified));
  return seen;
}

Result<Seen> look_at_job(const Subject& subject, const rules::Decision& decision) {
  Seen seen{rules::Sources(subject.sources.event()), decision, {}};
  CHECK_OK(fetch(seen.sources, {Source::kDescribe, Source::kTags}, subject, seen.not_notified));
  return seen;
}

// Why the stop or restart was not done.
Reason reason_not_done(std::span<const rules::ActionReport> reports) {
  for (const rules::ActionReport& one : reports)
    if (one.result.is(Kind::kNotDone) && one.result.reason) return *one.result.reason;
  return {.why = Why::kNothingCameOfIt};
}

// A job's item with its id, and what a notice says of the job.
struct Known {
  std::string id;
  rules::JobItem item;
  rules::NoticeJob job;
};

// notice_item_id: id of the item that keeps the notices; empty for the job's own.
Result<Known> know(const Subject& subject, const rules::Sources& sources,
                   const std::string& notice_item_id = {}) {
  const Apis& apis = subject.apis;
  Known out;
  out.id = notice_item_id;
  if (notice_item_id.empty()) {
    TRY(out.id, job_item_id(*sources.job()));
  }
  TRY(out.item, last_job_item(out.id, apis));
  out.job = rules::notice_job(subject.job.name.view(), subject.job.arn, sources,
                              subject.rules.policy.prices(), apis.now(),
                              subject.rules.policy.owner_tag());
  add_own_action(out.job, out.item, rules::observed_job(*sources.job()), apis.now());
  return out;
}

// A late notice about a restart that an earlier delivery began names its copy, too.
void name_copy(std::span<rules::ActionReport> reports, const rules::JobItem& item) {
  if (!item.copy || !item.copy->made) return;
  for (rules::ActionReport& one : reports)
    if (one.action == ActionKind::kRestart && !one.result.has_copy())
      one.result = {.kind = Kind::kCopied, .name = item.copy->name};
}

bool is_notified(const rules::JobItem& item, std::string_view key) {
  const auto found = item.notices.find(key);
  return found != item.notices.end() && found->second.claim.done;
}

// What tells apart two notices about the same rule and job.
struct Occasion {
  std::string about = {};                 // the watch
  std::optional<sys_seconds> since = {};  // when it went off
  bool notified = false;
};

// since: when the watch went off, once that is known; it is fetched only if it matters.
Result<Occasion> occasion_of(const Subject& subject, const rules::Decision& decision,
                             NoticeOutcome outcome, const std::string& topic,
                             const rules::JobItem& item, std::optional<sys_seconds>& since) {
  Occasion out;
  const Apis& apis = subject.apis;
  const auto& alarm = subject.sources.event().alarm;
  const bool of_alarm = alarm && rules::may_recur(outcome) && decision.rests_on_alarm;
  if (of_alarm) out.about = alarm->watch;
  const std::string key = rules::notice_key(decision, outcome, topic, out.about);
  const auto found = item.notices.find(key);
  out.notified = is_notified(item, key);
  if (!of_alarm) return out;
  const sys_seconds now = apis.now();
  if (out.notified && now - found->second.claim.at < rules::kTellAgainAfter) return out;
  if (!since) {
    TRY(since, in_alarm_since(subject.job, alarm->watch, apis));
    // The breach was measured. If CloudWatch's list does not show the alarm yet, or no longer does,
    // a notice that was sent is not repeated; a time that the list shows later lies before now.
    if (!since && out.notified) return out;
    if (!since) since = now;
  }
  out.since = since;
  if (out.notified) out.notified = !rules::is_news(found->second, *since, now);
  return out;
}

// Whether any notice was claimed when the job was stopped, or later.
bool is_stop_notified(const rules::JobItem& item) {
  return !item.stop || std::ranges::any_of(item.notices, [&](const auto& notice) {
    return notice.second.claim.at >= item.stop->at;
  });
}

// The rule that stopped the tuner does not notify, and this one does.
ActionOutcome tell_of_tuner(const Subject& subject, const rules::Decision& decision,
                            const std::string& topic, const ActionOutcome& stop) {
  auto seen = look_at_job(subject, decision);
  if (!seen) return failed(ActionKind::kNotify, std::move(seen).error());
  if (seen->not_notified) return not_notified(*std::move(seen->not_notified));
  for (const Prepared& one :
       prepare_for_tuner(subject, decision, seen->sources, *stop.result.tuner))
    if (one.topic == topic) return send(stop.notice_item_id, one, subject.rules, subject.apis);
  return not_notified({.why = Why::kToldWithTuner});
}

// The stop of a tuner is notified once, by the delivery that began it, or by a sweep if that one
// died. No other job of the tuner, and no other rule, notifies of it again.
ActionOutcome notify_of_tuner(const Subject& subject, const rules::Decision& decision,
                              const std::string& topic, const ActionOutcome& stop) {
  const Apis& apis = subject.apis;
  const std::string& notice_item_id = stop.notice_item_id;
  const auto item = last_job_item(notice_item_id, apis);
  if (!item) return failed(ActionKind::kNotify, item.error());
  const std::string key = rules::notice_key(decision, NoticeOutcome::kStopped, topic);
  if (is_notified(*item, key)) return notified_as(Kind::kNotifiedBefore);
  if (item->notices.contains(key))
    for (PendingNotice& pending : send_pending(
             notice_item_id,
             {.status = rules::ObservedJob::Status::kStopping, .stopping = apis.now()}, apis))
      if (pending.rule == decision.rule) return std::move(pending.outcome);
  if (!is_stop_notified(*item) && stop.result.tuner)
    return tell_of_tuner(subject, decision, topic, stop);
  return not_notified({.why = Why::kToldWithTuner});
}

// The notice, as far as it is known before the other rules' actions are done.
struct NoticeDraft {
  std::string id;
  rules::Decision decision;
  NoticeOutcome outcome = NoticeOutcome::kNone;
  rules::NoticeJob job;
  std::string topic;
  Occasion occasion;
};

Prepared prepare_draft(const Subject& subject, const NoticeDraft& draft,
                       std::span<const rules::ActionReport> reports) {
  Prepared out = prepare(subject.rules, draft.decision, draft.outcome, reports, draft.job,
                         draft.topic, draft.occasion.about);
  out.since = draft.occasion.since;
  return out;
}

// An outcome if there is nothing to notify of, or it was notified already; else the draft.
std::variant<ActionOutcome, NoticeDraft> draft_notice(const Subject& subject,
                                                      const rules::Decision& decision,
                                                      const rules::Action& action,
                                                      std::span<const ActionOutcome> others,
                                                      std::vector<rules::ActionReport>& reports) {
  const Apis& apis = subject.apis;
  const std::string& topic = topic_of(action, apis);
  if (topic.empty()) return notified_as(Kind::kLogged);
  for (const rules::ActionReport& one : reports)
    if (is_held_by_the_hour(one))
      return not_notified(one.result.is_because(Why::kSilentUntilRecheck) ||
                                  one.result.is_because(Why::kWaitsItsTurn)
                              ? *one.result.reason
                              : Reason{.why = Why::kOperatorsAreTold});
  std::optional<sys_seconds> since;
  if (const auto& alarm = subject.sources.event().alarm) since = alarm->since;
  const auto of_tuner = std::ranges::find_if(
      others, [](const ActionOutcome& one) { return !one.notice_item_id.empty(); });
  const std::string notice_item_id =
      of_tuner == others.end() ? std::string() : of_tuner->notice_item_id;
  if (of_tuner != others.end() && of_tuner->result.stopped_tuner())
    return notify_of_tuner(subject, decision, topic, *of_tuner);
  // Most events of a job whose notice was sent say nothing new, and need no second look.
  if (!acts_on_it(decision) && subject.sources.job() != nullptr) {
    const auto before = know(subject, subject.sources);
    if (!before) return failed(ActionKind::kNotify, before.error());
    const auto early = outcome_of(decision, reports, before->job);
    if (early) {
      const auto occasion = occasion_of(subject, decision, *early, topic, before->item, since);
      if (!occasion) return failed(ActionKind::kNotify, occasion.error());
      if (occasion->notified) return notified_as(Kind::kNotifiedBefore);
    }
  }
  auto seen = acts_on_it(decision) ? look_at_job(subject, decision) : look_again(subject, decision);
  if (!seen) return failed(ActionKind::kNotify, std::move(seen).error());
  if (seen->not_notified) return not_notified(*std::move(seen->not_notified));
  const auto known = know(subject, seen->sources, notice_item_id);
  if (!known) return failed(ActionKind::kNotify, known.error());
  const auto outcome = outcome_of(seen->decision, reports, known->job);
  if (!outcome && std::ranges::any_of(reports, [](const auto& one) { return one.error; }))
    return not_notified({.why = Why::kComesAgain});
  if (!outcome) return not_notified(reason_not_done(reports));
  if (*outcome == NoticeOutcome::kRestarted) name_copy(reports, known->item);
  const auto occasion = occasion_of(subject, seen->decision, *outcome, topic, known->item, since);
  if (!occasion) return failed(ActionKind::kNotify, occasion.error());
  if (occasion->notified) return notified_as(Kind::kNotifiedBefore);
  return NoticeDraft{known->id, seen->decision, *outcome, known->job, topic, *occasion};
}

}  // namespace

ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> others) {
  std::vector<rules::ActionReport> reports = reports_of(others);
  auto found = draft_notice(subject, decision, action, others, reports);
  if (auto* const outcome = std::get_if<ActionOutcome>(&found)) return std::move(*outcome);
  const auto& draft = std::get<NoticeDraft>(found);
  return send(draft.id, prepare_draft(subject, draft, reports), subject.rules, subject.apis);
}

std::variant<ActionOutcome, ClaimedNotice> notify_ahead(const Subject& subject,
                                                        const rules::Decision& decision,
                                                        const rules::Action& action,
                                                        std::span<const ActionOutcome> others,
                                                        std::string_view other_rule) {
  std::vector<rules::ActionReport> reports = reports_so_far(others);
  auto found = draft_notice(subject, decision, action, others, reports);
  if (auto* const outcome = std::get_if<ActionOutcome>(&found)) return std::move(*outcome);
  auto& draft = std::get<NoticeDraft>(found);
  draft.job.other_rule = other_rule;
  return claim_now(draft.id, prepare_draft(subject, draft, reports), subject.apis);
}

}  // namespace trainwarden::actions
