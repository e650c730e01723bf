#include "handlers/actions/tell/claims.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/digest.h"
#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/end_steps.h"
#include "handlers/rules/state/grace_steps.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/kept_notice.h"
#include "handlers/rules/state/notice_claims.h"

namespace trainwarden::actions {
namespace {

using rules::NoticeOutcome;
using Kind = rules::ActionResult::Kind;
using Decided = rules::NoticeDecision::Kind;

rules::KeptNotice kept_of(const Prepared& prepared) {
  const rules::Notice& notice = prepared.notice;
  return {.topic = prepared.topic,
          .format = std::string(rules::name(prepared.format)),
          .subject = notice.subject,
          .message = notice.message,
          .attributes = notice.attributes};
}

std::string text_of(const Prepared& prepared) { return rules::keep(kept_of(prepared)); }

Result<Prepared> read_prepared(std::string_view key, std::string_view what) {
  TRY(rules::KeptNotice kept, rules::read_kept(what));
  Prepared out{.key = std::string(key), .topic = std::move(kept.topic)};
  out.format = rules::notice_format(kept.format);
  out.notice.subject = std::move(kept.subject);
  out.notice.message = kept.message.empty()
                           ? rules::brief_message(out.format, out.notice.subject, kept.attributes)
                           : std::move(kept.message);
  out.notice.attributes = std::move(kept.attributes);
  out.notice.reported = rules::reported_by(out.notice.attributes);
  return out;
}

ActionOutcome notify_outcome(Kind kind) { return {rules::ActionKind::kNotify, {kind}}; }

// Records that the notice was sent or gathered.
ActionOutcome noted(const std::string& id, const std::string& key, ActionOutcome out,
                    const Apis& apis) {
  const auto done = change_job_item(id, apis, [&](rules::JobItem item, sys_seconds /*now*/) {
    return rules::notice_done(std::move(item), key);
  });
  if (done) return out;
  out.note = "may be told again: " + done.error().message;
  out.state_unavailable = done.error().code == ErrorCode::kStateUnavailable;
  return out;
}

rules::GatheredNotice gathered_of(const ClaimedNotice& claimed) {
  const auto job = rules::job_of_item(claimed.id);
  const rules::Notice& notice = claimed.prepared.notice;
  return {.job = job ? job->name : claimed.id,
          .key = claimed.prepared.key,
          .rule = notice.reported.rule,
          .subject = notice.subject,
          .team = notice.reported.team,
          .owner = notice.reported.owner,
          .role = notice.reported.role};
}

// With nothing in it that a service may refuse for what people wrote.
rules::Notice in_short(const Prepared& prepared) {
  rules::Notice out;
  out.subject = prepared.notice.subject;
  out.reported = prepared.notice.reported;
  out.attributes = rules::without_tags(prepared.notice.attributes);
  out.message =
      rules::brief_message(prepared.format, aws::sns_subject(out.subject), out.attributes);
  return out;
}

// Publishes a notice whose claim is ours until then.
ActionOutcome publish_claimed(const std::string& id, const Prepared& prepared, sys_seconds until,
                              const Apis& apis) {
  if (apis.now() >= until)
    return failed(rules::ActionKind::kNotify,
                  {ErrorCode::kUnavailable, "the notice was claimed too long ago to be sent now"});
  const auto publish_it = [&](const rules::Notice& notice) {
    return apis.sns.publish({prepared.topic, notice.subject, notice.message, notice.attributes},
                            apis.context);
  };
  auto sent = publish_it(prepared.notice);
  if (!sent && sent.error().code == ErrorCode::kRejected) sent = publish_it(in_short(prepared));
  if (!sent) {
    // The notice that was claimed before the action knows no tags. Store this one, so that whoever
    // sends it later says as much.
    static_cast<void>(change_job_item(id, apis, [&](rules::JobItem item, sys_seconds /*now*/) {
      return reword(std::move(item), {&prepared, 1});
    }));
    return failed(rules::ActionKind::kNotify, sent.error());
  }
  return noted(id, prepared.key, notify_outcome(Kind::kNotified), apis);
}

// Whether the event that a notice reports has happened; nullopt if it still may.
std::optional<bool> has_come_about(const Prepared& prepared, const rules::JobItem& item,
                                   const rules::ObservedJob& observed, sys_seconds now) {
  const std::optional<NoticeOutcome>& outcome = prepared.notice.reported.outcome;
  const std::string& rule = prepared.notice.reported.rule;
  const bool stop = outcome == NoticeOutcome::kStopped;
  if (outcome == NoticeOutcome::kReleased) {
    if (observed.pool != rules::PoolStatus::kAvailable)
      return observed.pool == rules::PoolStatus::kTerminated && !observed.pool_ran_out;
    const auto claimed = item.notices.find(prepared.key);
    const bool fresh =
        claimed != item.notices.end() && now - claimed->second.claim.at <= rules::kStopExplains;
    return fresh ? std::nullopt : std::optional(false);
  }
  // A late announcement would name a time that has passed, so the stop is announced anew.
  if (outcome == NoticeOutcome::kWarned)
    return rules::is_timely(item, rule, now) && !observed.has_ended() && !observed.stopping;
  // The notice about an end was recorded together with the end. Whether an outcome that this
  // version does not know has come about cannot be checked: such a notice is sent, since one too
  // many is better than one that is lost.
  if (!stop && (outcome != NoticeOutcome::kRestarted || item.copy)) return true;
  rules::NoticeJob job;
  add_own_action(job, item, observed, now);
  if (job.acted_rule == rule) return true;
  if (observed.has_ended() || observed.stopping) return false;
  std::optional<sys_seconds> begun;
  if (stop && item.stop) begun = item.stop->at;
  if (!stop && item.restart) begun = item.restart->at;
  const bool open = stop || !item.closed;
  if (begun && open && now - *begun <= rules::kStopExplains) return std::nullopt;
  return false;
}

ActionOutcome send_kept(const std::string& id, const Prepared& prepared, const Apis& apis) {
  auto claimed = claim_now(id, prepared, apis);
  if (auto* const outcome = std::get_if<ActionOutcome>(&claimed)) return std::move(*outcome);
  return publish_claimed(id, prepared, std::get<ClaimedNotice>(claimed).until, apis);
}

}  // namespace

const std::string& topic_of(const rules::Action& action, const Apis& apis) {
  return action.topic.empty() ? apis.config.notify_topic : action.topic;
}

Prepared prepare(const ActivePolicy& rules, const rules::Decision& decision, NoticeOutcome outcome,
                 std::span<const rules::ActionReport> reports, const rules::NoticeJob& job,
                 const std::string& topic, std::string_view about) {
  Prepared out{.key = rules::notice_key(decision, outcome, topic, about),
               .topic = topic,
               .format = rules.policy.notice_format()};
  rules::NoticeJob of = job;
  of.contact = rules.policy.contact();
  const auto all = rules.policy.rules();
  const auto rule = std::ranges::find(all, decision.rule, &rules::Rule::name);
  if (rule != all.end()) of.extensions = rules::extensions_of(*rule);
  out.notice = rules::notice(out.format, decision, outcome, reports, of);
  // What does not fit into its claim could not be sent by whoever takes the claim over.
  if (!rules::has_room(kept_of(out)))
    out.notice =
        rules::notice(out.format, decision, outcome, reports, of, rules::NoticeDetail::kShort);
  return out;
}

std::vector<Prepared> prepare_all(const ActivePolicy& rules, const rules::Decision& decision,
                                  NoticeOutcome outcome,
                                  std::span<const rules::ActionReport> reports,
                                  const rules::NoticeJob& job, const Apis& apis,
                                  bool or_default_topic, std::string_view about) {
  std::vector<std::string> topics;
  const auto add = [&](const std::string& topic) {
    if (!topic.empty() && std::ranges::find(topics, topic) == topics.end()) topics.push_back(topic);
  };
  bool tells = false;
  for (const rules::Action& action : decision.actions) {
    if (action.kind != rules::ActionKind::kNotify) continue;
    tells = true;
    add(topic_of(action, apis));
  }
  if (!tells && or_default_topic) add(apis.config.notify_topic);
  std::vector<Prepared> out;
  out.reserve(topics.size());
  for (const std::string& topic : topics)
    out.push_back(prepare(rules, decision, outcome, reports, job, topic, about));
  return out;
}

rules::JobItem claim(rules::JobItem item, std::span<const Prepared> notices, const Apis& apis,
                     sys_seconds now) {
  for (const Prepared& one : notices)
    item = rules::claim_notice(std::move(item), one.key, text_of(one), apis.request, now).next;
  return item;
}

rules::JobItem reword(rules::JobItem item, std::span<const Prepared> notices) {
  for (const Prepared& one : notices) {
    const auto found = item.notices.find(one.key);
    if (found != item.notices.end() && !found->second.claim.done) found->second.what = text_of(one);
  }
  return item;
}

std::variant<ActionOutcome, ClaimedNotice> claim_now(std::string id, Prepared prepared,
                                                     const Apis& apis) {
  rules::NoticeDecision decision;
  const auto claimed = change_job_item(id, apis, [&](rules::JobItem item, sys_seconds now) {
    auto step = prepared.since
                    ? rules::claim_alarm_notice(std::move(item), prepared.key, text_of(prepared),
                                                apis.request, *prepared.since, now)
                    : rules::claim_notice(std::move(item), prepared.key, text_of(prepared),
                                          apis.request, now);
    decision = std::move(step.decision);
    return std::move(step.next);
  });
  if (!claimed) return failed(rules::ActionKind::kNotify, claimed.error());
  switch (decision.kind) {
    case Decided::kNotifiedBefore:
      return notify_outcome(Kind::kNotifiedBefore);
    case Decided::kUnavailable:
      return failed(rules::ActionKind::kNotify,
                    {ErrorCode::kUnavailable, "another delivery is about to tell it"});
    case Decided::kPublish:
      break;
  }
  return ClaimedNotice{std::move(id), std::move(prepared), decision.until, decision.again};
}

ActionOutcome publish(const ClaimedNotice& claimed, const ActivePolicy& rules, const Apis& apis) {
  const auto& [id, prepared, until, again] = claimed;
  if (!again || !goes_with_digest(prepared.topic, gathered_of(claimed), apis))
    return publish_claimed(id, prepared, until, apis);
  // Send it now, since a stack may have no sweep. If that fails, the notice stays in the digest.
  static_cast<void>(send_digest(rules::digest_item_id(prepared.topic), rules, apis));
  return noted(id, prepared.key, notify_outcome(Kind::kGathered), apis);
}

ActionOutcome send(const std::string& id, const Prepared& prepared, const ActivePolicy& rules,
                   const Apis& apis) {
  auto claimed = claim_now(id, prepared, apis);
  if (auto* const outcome = std::get_if<ActionOutcome>(&claimed)) return std::move(*outcome);
  return publish(std::get<ClaimedNotice>(claimed), rules, apis);
}

std::string rule_of_claim(std::string_view key, const rules::NoticeRecord& notice) {
  const auto kept = read_prepared(key, notice.what);
  return kept ? kept->notice.reported.rule : std::string();
}

void add_own_action(rules::NoticeJob& job, const rules::JobItem& item,
                    const rules::ObservedJob& observed, sys_seconds now) {
  const auto set = [&](const std::string& rule, const std::string& why, sys_seconds at) {
    job.acted_rule = rule;
    job.acted_at = rfc3339(at);
    job.acted_reason = why;
  };
  const bool stopped = item.stop &&
                       (item.stop->accepted || observed.stopping || observed.has_ended()) &&
                       rules::stop_counts(item, observed, now);
  if (stopped) return set(item.stop->rule, item.stop->why, item.stop->at);
  if (!item.restart || item.restart->of_ended) return;
  if (item.restart->accepted || (rules::is_stopped_by(*item.restart, observed) && !item.closed))
    set(item.restart->rule, item.restart->why, item.restart->at);
}

bool has_pending_notices(const std::string& id, const Apis& apis) {
  const auto item = last_job_item(id, apis);
  return !item || !rules::pending_notices(*item, apis.request, apis.now()).empty();
}

std::vector<PendingNotice> send_pending(const std::string& id, const rules::ObservedJob& observed,
                                        const Apis& apis) {
  std::vector<PendingNotice> out;
  const auto give = [&](std::string_view rule, ActionOutcome outcome) {
    out.push_back({std::string(rule), std::move(outcome)});
  };
  const auto item = last_job_item(id, apis);
  if (!item) {
    give({}, failed(rules::ActionKind::kNotify, item.error()));
    return out;
  }
  const sys_seconds now = apis.now();
  for (const std::string& key : rules::pending_notices(*item, apis.request, now)) {
    const auto kept = read_prepared(key, item->notices.find(key)->second.what);
    if (!kept) {
      give({}, failed(rules::ActionKind::kNotify, kept.error()));
      continue;
    }
    const auto came_about = has_come_about(*kept, *item, observed, now);
    if (!came_about) continue;
    if (*came_about) {
      give(kept->notice.reported.rule, send_kept(id, *kept, apis));
      continue;
    }
    const auto forgotten = change_job_item(id, apis, [&](rules::JobItem next, sys_seconds) {
      next.notices.erase(key);
      return next;
    });
    if (!forgotten) give({}, failed(rules::ActionKind::kNotify, forgotten.error()));
  }
  return out;
}

}  // namespace trainwarden::actions
