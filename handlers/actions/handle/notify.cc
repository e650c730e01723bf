#include "handlers/actions/handle/notify.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/job/intent.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/restart/guards.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::ActionResult;
using rules::NoticeJob;
using rules::Outcome;
using rules::Reason;
using rules::Source;
using rules::Why;
using Kind = ActionResult::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

// AWS may send an event twice at once. Who finds that the other delivery has just acted lets it
// tell first: this is what its Publish and AddTags need.
constexpr milliseconds kOthersTurn{2000};
constexpr seconds kJustNow{10};
constexpr milliseconds kTimeToTell{3000};

ActionOutcome done(Kind kind) { return {ActionKind::kNotify, {kind}}; }

ActionOutcome not_notified(Reason why) {
  return {ActionKind::kNotify, {.kind = Kind::kNotNotified, .reason = std::move(why)}};
}

std::vector<rules::ActionReport> reports_of(std::span<const ActionOutcome> outcomes) {
  std::vector<rules::ActionReport> out;
  for (const ActionOutcome& outcome : outcomes)
    if (outcome.action != ActionKind::kNotify)
      out.push_back({outcome.action, outcome.result, outcome.error ? &*outcome.error : nullptr});
  return out;
}

std::string_view notified_tag(const rules::Sources& sources) {
  const rules::JobTags* const tags = sources.tags();
  return tags != nullptr ? tags->notified.value_or("") : std::string_view();
}

NoticeJob job_of(const Subject& subject, const rules::Sources& sources,
                 const rules::Decision& decision) {
  NoticeJob job = rules::notice_job(subject.job.name.view(), subject.job.arn, sources,
                                    subject.rules.policy.prices(), subject.apis.now());
  // A tag holds fewer characters than a rule's name may.
  if (job.acted_rule == aws::tag_value(decision.rule)) job.acted_rule = decision.rule;
  return job;
}

// What is known at the moment of context.
struct Seen {
  rules::Sources sources;
  rules::Decision decision;
  // Why there is nothing to tell; then the rest counts nothing.
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

// A rule that only tells, or may do no more, is looked at again as before a stop: nobody is told of
// a tag that is missing only because it is late.
Result<Seen> look_again(const Subject& subject, const rules::Decision& decision) {
  TRY(SecondLook look, recheck(subject, decision));
  if (!look.decision) return nothing(subject, *std::move(look.reason));
  Seen seen{*std::move(look.sources), *std::move(look.decision), {}};
  if (seen.sources.tags() == nullptr)
    CHECK_OK(fetch(seen.sources, {Source::kTags}, subject, seen.not_notified));
  return seen;
}

Result<Seen> look_at_job(const Subject& subject, const rules::Decision& decision) {
  Seen seen{rules::Sources(subject.sources.event()), decision, {}};
  CHECK_OK(fetch(seen.sources, {Source::kDescribe, Source::kTags}, subject, seen.not_notified));
  return seen;
}

bool acts_on_it(const rules::Decision& decision) {
  return decision.mode == rules::Mode::kEnforce &&
         std::ranges::any_of(decision.actions, rules::acts_on_job, &rules::Action::kind);
}

// Whether another delivery stopped the job just now, and is about to tell.
bool others_turn(const NoticeJob& job, std::span<const rules::ActionReport> reports,
                 const Apis& apis) {
  const bool ours = std::ranges::any_of(
      reports, [](const rules::ActionReport& one) { return one.result.is(Kind::kStopped); });
  const auto at = parse_rfc3339(job.acted_at);
  return !ours && at && apis.now() - *at < kJustNow &&
         apis.context.deadline.left(apis.clock.steady_now()) > kOthersTurn + kTimeToTell;
}

bool reaches_people(const rules::Action& action, const Config& config) {
  return action.kind == ActionKind::kNotify &&
         !(action.topic.empty() && config.notify_topic.empty());
}

bool tells_what_it_did(const rules::Rule& rule, const Config& config) {
  if (!rule.has(ActionKind::kStop) && !rule.has(ActionKind::kRestart)) return false;
  return std::ranges::any_of(
      rule.actions, [&](const rules::Action& action) { return reaches_people(action, config); });
}

// Whether a stop may have gone without its notice: some rule would have told, and either the tags
// are known, or the event did not know yet that the job is stopping. A sweep reads tags only where
// its rules do.
bool may_owe(const Subject& subject, bool decided) {
  if (!std::ranges::any_of(subject.rules.policy.rules(), [&](const rules::Rule& rule) {
        return tells_what_it_did(rule, subject.apis.config);
      }))
    return false;
  const rules::Sources& sources = subject.sources;
  if (sources.tags() != nullptr) return true;
  const rules::JobEvent& event = sources.event();
  // An alarm on a job that trains no longer is not confirmed, and nothing is decided.
  if (event.alarm && event.alarm->state == "ALARM" && !decided) return true;
  const rules::TrainingJob* const job = sources.job();
  if (job == nullptr || event.trigger == rules::Trigger::kSweep) return false;
  const bool stopping =
      job->status == rules::JobStatus::kStopping || job->status == rules::JobStatus::kStopped;
  return stopping && event.training_job_status.value_or("InProgress") == "InProgress";
}

// The rule that our tags on the job name; nullptr where there is none, or none any more.
const rules::Rule* acted_rule(const rules::Policy& policy, const NoticeJob& job) {
  const auto all = policy.rules();
  const auto rule = std::ranges::find_if(all, [&](const rules::Rule& one) {
    return !job.acted_rule.empty() && aws::tag_value(one.name) == job.acted_rule;
  });
  return rule == all.end() ? nullptr : &*rule;
}

// The decision that our tags on the job speak of, as far as they tell.
std::optional<rules::Decision> acted_decision(const Subject& subject,
                                              const rules::Sources& sources) {
  const NoticeJob job = job_of(subject, sources, {});
  const rules::Rule* const rule = acted_rule(subject.rules.policy, job);
  if (rule == nullptr || !tells_what_it_did(*rule, subject.apis.config)) return std::nullopt;
  rules::Decision out;
  out.rule = rule->name;
  out.index = static_cast<std::size_t>(rule - subject.rules.policy.rules().data());
  out.mode = rules::Mode::kEnforce;
  out.actions = rule->actions;
  out.message = rule->message.empty() ? job.acted_reason : rule->message;
  return out;
}

// Why nothing came of the stop or restart.
Reason why_nothing_came(std::span<const rules::ActionReport> reports) {
  for (const rules::ActionReport& one : reports)
    if (one.result.is(Kind::kNotDone) && one.result.reason) return *one.result.reason;
  return {.why = Why::kNothingCameOfIt};
}

ActionOutcome publish(const Subject& subject, const std::string& topic, const Seen& seen,
                      Outcome outcome, std::span<const rules::ActionReport> reports,
                      const NoticeJob& job, const std::string& key) {
  const Apis& apis = subject.apis;
  const auto remember = [&](std::string value) {
    const std::array<aws::Tag, 1> told{{{std::string(rules::kNotifiedTag), std::move(value)}}};
    return apis.sagemaker.add_tags(job.arn, told, apis.context);
  };
  const std::string_view before = notified_tag(seen.sources);
  // A sweep comes again and again: nobody is told what cannot be remembered. That the tag can be
  // written is tried with what it holds already, so that a Publish that fails is not taken for
  // done.
  if (subject.sources.event().trigger == rules::Trigger::kSweep)
    if (auto room = remember(std::string(before)); !room) {
      if (retryable(room.error().code)) return failed(ActionKind::kNotify, std::move(room).error());
      ActionOutcome out = not_notified({.why = Why::kEachSweepWouldTell});
      out.note = std::move(room).error().message;
      return out;
    }
  rules::Notice notice =
      rules::notice(subject.rules.policy.notice_format(), seen.decision, outcome, reports, job);
  const auto sent = apis.sns.publish(
      {topic, std::move(notice.subject), std::move(notice.message), std::move(notice.attributes)},
      apis.context);
  if (!sent) return failed(ActionKind::kNotify, sent.error());
  ActionOutcome told_so = done(Kind::kNotified);
  if (const auto tagged = remember(rules::add_notified(before, key)); !tagged)
    told_so.note = "may be told again: " + tagged.error().message;
  return told_so;
}

// What has become of a restart that an earlier delivery began: its copy, made now or before.
std::optional<ActionResult> copied_since(const ActionOutcome* intent,
                                         const rules::Sources& sources) {
  if (intent != nullptr && intent->result.has_copy()) return intent->result;
  const rules::JobTags* const tags = sources.tags();
  const std::string_view child = tags != nullptr ? rules::child_of(*tags) : std::string_view();
  if (child.empty()) return std::nullopt;
  return ActionResult{.kind = Kind::kCopied, .name = std::string(child)};
}

// Who hears late of a restart that an earlier delivery began hears of its copy, too.
void name_copy(std::span<rules::ActionReport> reports, const rules::Sources& sources) {
  const auto copied = copied_since(nullptr, sources);
  if (!copied) return;
  for (rules::ActionReport& one : reports)
    if (one.action == ActionKind::kRestart && !one.result.has_copy()) one.result = *copied;
}

// about: sets apart what would else have the key of another notice.
ActionOutcome tell(const Subject& subject, const rules::Decision& decision,
                   const rules::Action& action, std::span<const ActionOutcome> others,
                   std::string_view about) {
  const Apis& apis = subject.apis;
  const std::string& topic = action.topic.empty() ? apis.config.notify_topic : action.topic;
  if (topic.empty()) return done(Kind::kLogged);
  std::vector<rules::ActionReport> reports = reports_of(others);
  const std::string key_topic = action.topic + std::string(about);
  // Most events of a job that was told of say nothing new, and cost no further call.
  const NoticeJob before = job_of(subject, subject.sources, decision);
  const auto early = outcome_of(decision, reports, before);
  if (early && rules::already_notified(notified_tag(subject.sources),
                                       notice_key(decision, *early, before, key_topic)))
    return done(Kind::kNotifiedBefore);
  if (!early &&
      std::ranges::any_of(reports, [](const rules::ActionReport& one) { return one.error; }))
    return not_notified({.why = Why::kComesAgain});

  for (bool waited = false;; waited = true) {
    auto seen =
        acts_on_it(decision) ? look_at_job(subject, decision) : look_again(subject, decision);
    if (!seen) return failed(ActionKind::kNotify, std::move(seen).error());
    if (seen->not_notified) return not_notified(*std::move(seen->not_notified));
    const NoticeJob job = job_of(subject, seen->sources, decision);
    const auto outcome = outcome_of(seen->decision, reports, job);
    if (!outcome) return not_notified(why_nothing_came(reports));
    if (*outcome == Outcome::kRestarted) name_copy(reports, seen->sources);
    const std::string key = notice_key(decision, *outcome, job, key_topic);
    if (rules::already_notified(notified_tag(seen->sources), key))
      return done(Kind::kNotifiedBefore);
    if (waited || *outcome != Outcome::kStopped || !others_turn(job, reports, apis))
      return publish(subject, topic, *seen, *outcome, reports, job, key);
    apis.clock.sleep_for(kOthersTurn);
  }
}

// Whether a rule settles now what becomes of the job, or tells of it.
bool settles(const DecisionOutcome& outcome, std::string_view rule) {
  return std::ranges::any_of(outcome.actions, [&](const ActionOutcome& action) {
    if (action.action != ActionKind::kRestart || outcome.decision.mode != rules::Mode::kEnforce)
      return false;
    // What came to nothing is news of its own rule, if that tells.
    if (action.error)
      return outcome.decision.rule == rule ||
             std::ranges::find(outcome.decision.actions, ActionKind::kNotify,
                               &rules::Action::kind) != outcome.decision.actions.end();
    const bool refused = action.result.is_refusal();
    if (refused && action.result.is_because(Why::kCameToNothing)) return false;  // says not why
    return refused ? outcome.decision.rule == rule : !action.result.is(Kind::kNotDone);
  });
}

constexpr std::string_view kOfIntent = "\nintent";

bool is_failure(const ActionOutcome* intent) {
  return intent != nullptr && intent->error && intent->result.is(Kind::kFailed);
}

bool is_made(const ActionOutcome& end) { return !end.error && !end.result.is_refusal(); }

// What came of the copy of a job that one of our restarts stopped, where that is for people to
// hear; nullopt where it is not.
std::optional<ActionOutcome> end_of_restart(const Subject& subject, const ActionOutcome* intent) {
  const rules::JobTags* const tags = subject.sources.tags();
  // A stop that came after the restart has told for itself.
  if (tags == nullptr || tags->action != rules::kRestartAction) return std::nullopt;
  const auto refused = [](std::optional<Reason> why) {
    return ActionOutcome{ActionKind::kRestart,
                         {.kind = Kind::kRefusedAtEnd, .reason = std::move(why)}};
  };
  if (intent == nullptr) {
    if (!rules::child_of(*tags).empty() || tags->intent != rules::kVoidIntent) return std::nullopt;
    return refused(Reason{.why = Why::kSeeRecordOfEnd});
  }
  if (is_failure(intent))
    return rules::refused_for_good(*intent->error) ? std::optional(*intent) : std::nullopt;
  if (!intent->result.is(Kind::kIntentVoid)) return *intent;
  if (intent->error) return std::nullopt;
  return refused(intent->result.reason);
}

// Goes wherever the rule that restarted the job tells; where it cannot be found any more, or does
// not tell, to the topic of the environment. Of a copy that was made only those hear who heard that
// it failed.
std::optional<DecisionOutcome> end_notice(const Subject& subject,
                                          std::span<const DecisionOutcome> outcomes,
                                          ActionOutcome end) {
  const rules::Policy& policy = subject.rules.policy;
  const NoticeJob job = job_of(subject, subject.sources, {});
  const rules::Rule* const rule = acted_rule(policy, job);
  if (rule != nullptr &&
      effective_mode(policy, *rule, subject.rules.ceiling) < rules::Mode::kNotify)
    return std::nullopt;
  DecisionOutcome owed;
  rules::Decision& decision = owed.decision;
  decision.rule = rule != nullptr ? rule->name : job.acted_rule;
  if (decision.rule.empty()) decision.rule = "(unknown)";  // an attribute must not be empty
  decision.mode = rules::Mode::kEnforce;                   // it was, when the job was stopped
  decision.message = rule != nullptr && !rule->message.empty() ? rule->message : job.acted_reason;
  decision.actions = {{.kind = ActionKind::kRestart}};
  if (std::ranges::any_of(outcomes, [&](const DecisionOutcome& outcome) {
        return settles(outcome, decision.rule);
      }))
    return std::nullopt;
  if (rule != nullptr)
    std::ranges::copy_if(
        rule->actions, std::back_inserter(decision.actions),
        [](const rules::Action& action) { return action.kind == ActionKind::kNotify; });
  if (decision.actions.size() == 1) decision.actions.push_back({.kind = ActionKind::kNotify});

  const bool made = is_made(end);
  const std::array<ActionOutcome, 1> reports{{std::move(end)}};
  // The record has it as the intent's.
  owed.actions.push_back({ActionKind::kRestart, rules::not_done(Why::kBegunEarlier)});
  bool told = false;
  for (const rules::Action& action : std::span(decision.actions).subspan(1)) {
    const std::string failure =
        notice_key(decision, Outcome::kFailed, job, action.topic + std::string(kOfIntent));
    if (made && !rules::already_notified(notified_tag(subject.sources), failure)) continue;
    owed.actions.push_back(tell(subject, decision, action, reports, kOfIntent));
    const ActionOutcome& last = owed.actions.back();
    told = told || last.result.is(Kind::kNotified) || last.error;
  }
  return told ? std::optional(std::move(owed)) : std::nullopt;
}

}  // namespace

ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> others) {
  return tell(subject, decision, action, others, {});
}

std::optional<DecisionOutcome> owed_notice(const Subject& subject,
                                           std::span<const DecisionOutcome> outcomes,
                                           const ActionOutcome* intent) {
  if (auto end = end_of_restart(subject, intent)) {
    const bool made = is_made(*end);
    auto notice = end_notice(subject, outcomes, *std::move(end));
    if (notice || !made) return notice;
  }
  // "Restarts" is no news of a copy that could not be made.
  if (is_failure(intent)) return std::nullopt;
  if (!may_owe(subject, !outcomes.empty())) return std::nullopt;
  rules::Sources fetched(subject.sources.event());
  const bool known = subject.sources.tags() != nullptr;
  if (!known && gather(fetched, {Source::kTags}, subject.job, subject.apis) != Gathered::kJob)
    return std::nullopt;
  // Tags that cannot be read: the event came late anyhow, and nothing says that a notice is owed.
  const rules::Sources& sources = known ? subject.sources : fetched;
  auto decision = acted_decision(subject, sources);
  if (!decision || std::ranges::any_of(outcomes, [&](const DecisionOutcome& outcome) {
        return outcome.decision.rule == decision->rule;
      }))
    return std::nullopt;
  DecisionOutcome owed{*std::move(decision), {}};
  const bool stops = std::ranges::find(owed.decision.actions, ActionKind::kStop,
                                       &rules::Action::kind) != owed.decision.actions.end();
  const Outcome outcome = stops ? Outcome::kStopped : Outcome::kRestarted;
  const NoticeJob job = job_of(subject, sources, owed.decision);
  bool told = false;
  for (const rules::Action& action : owed.decision.actions)
    owed.actions.push_back({action.kind, rules::not_done(Why::kDoneEarlier)});
  std::vector<ActionOutcome> reports = owed.actions;  // the record has the copy as the intent's
  if (auto copied = copied_since(intent, sources); !stops && copied)
    std::ranges::find(reports, ActionKind::kRestart, &ActionOutcome::action)->result =
        *std::move(copied);
  for (std::size_t i = 0; i < owed.actions.size(); ++i) {
    const rules::Action& action = owed.decision.actions[i];
    if (action.kind != ActionKind::kNotify) continue;
    if (rules::already_notified(notified_tag(sources),
                                notice_key(owed.decision, outcome, job, action.topic)))
      continue;
    owed.actions[i] = notify(subject, owed.decision, action, reports);
    told = told || owed.actions[i].result.is(Kind::kNotified) || owed.actions[i].error;
  }
  return told ? std::optional(std::move(owed)) : std::nullopt;
}

}  // namespace trainwarden::actions
