#include "handlers/actions/handle/handle_job.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "handlers/actions/alarms/confirm_alarm.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/log_memory.h"
#include "handlers/actions/handle/execute.h"
#include "handlers/actions/handle/open_intents.h"
#include "handlers/actions/restart/finish_restart.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/facts/silence.h"
#include "handlers/rules/job/hourly_cost.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/policy/unheard_alarms.h"
#include "handlers/rules/state/end_steps.h"

namespace trainwarden::actions {
namespace {

// According to Describe or to the event, since either may lag behind the other.
bool seems_ended(const rules::Sources& sources) {
  return (sources.job() != nullptr && sources.job()->has_ended()) ||
         rules::is_terminal(sources.event().training_job_status.value_or(""));
}

// An older confirmation is repeated: a sweep decides on many jobs before it acts on one.
constexpr std::chrono::seconds kConfirmedFor{60};

// Whether a decision does more than put or delete a job's alarms.
bool acts(const rules::Decision& decision) { return !rules::only_watches(decision.actions); }

bool restarts(const rules::Decision& decision) { return restart_of(decision) != nullptr; }

// How long after its end a job that may be run again keeps its warm pool: some sweeps. Whatever
// they could not fetch by then may be denied for good.
constexpr std::chrono::hours kUndecidedKeepsPool{1};

// Whether a rule that restarts the job could not be decided and may still hold, since the missing
// source may be available when the event comes again.
bool restart_may_come(const Subject& subject, std::span<const rules::Skipped> skipped) {
  const rules::TrainingJob* const job = subject.sources.job();
  const auto ended = job != nullptr ? job->ended() : std::nullopt;
  if (!ended || subject.apis.now() - *ended > kUndecidedKeepsPool) return false;
  const rules::Policy& policy = subject.rules.policy;
  return std::ranges::any_of(skipped, [&](const rules::Skipped& one) {
    const rules::Rule& rule = policy.rules()[one.index];
    return one.comes_again && rule.has(rules::ActionKind::kRestart) &&
           effective_mode(policy, rule, subject.rules.ceiling) == rules::Mode::kEnforce;
  });
}

// Only who enforces remembers what was seen (P3).
bool may_remember(const ActivePolicy& rules, const Apis& apis) {
  return apis.table && rules.enforces();
}

void record_signal(const std::string& id, Record& record, const Apis& apis) {
  const auto noted = change_brake(apis, [&](rules::BrakeItem item, sys_millis /*now*/) {
    return rules::forget_silence(std::move(item), id);
  });
  if (!noted) record.error = noted.error();
}

// The conclusion if the job no longer exists.
Conclusion conclusion_of(Gathered gathered) {
  return gathered == Gathered::kGone ? Conclusion::kGone : Conclusion::kNamesake;
}

// Decides, and fetches the sources that the decision needs. False if the job no longer exists.
bool decide_on(const ActivePolicy& rules, Considered& considered, const Apis& apis) {
  Record& record = considered.record;
  // Each round fetches at least one source, so there cannot be more rounds than sources.
  for (std::size_t round = 0; round <= rules::kSourceCount; ++round) {
    const rules::Facts facts = rules::facts_from(considered.sources, rules.policy.prices(),
                                                 apis.now(), rules.policy.failures());
    considered.evaluation = rules::decide(rules.policy, facts, rules.ceiling);
    if (considered.evaluation.needs.empty()) break;
    const Gathered gathered =
        gather_for(rules, considered.sources, considered.evaluation.needs, considered.job, apis);
    record.state = rules::state_of(considered.sources);
    if (gathered == Gathered::kJob) continue;
    record.conclusion = conclusion_of(gathered);
    considered.evaluation = {};
    return false;
  }
  return true;
}

bool ask_for_blindness(const rules::Policy& policy) {
  return std::ranges::any_of(policy.rules(), rules::names_blindness);
}

// W4: rules that ask for the state BLIND are decided, and notify or tag. Nothing else is done to
// the job.
void decide_on_blindness(const ActivePolicy& rules, Considered& considered, const Apis& apis) {
  rules::JobEvent event = considered.sources.event();
  event.alarm->state = rules::kBlindState;
  considered.sources = rules::Sources(std::move(event));
  if (!decide_on(rules, considered, apis)) return;
  rules::Evaluation& evaluation = considered.evaluation;
  for (rules::Dropped& dropped :
       rules::keep_blindness(evaluation.decisions, rules.policy, *considered.record.unconfirmed()))
    evaluation.dropped.push_back(std::move(dropped));
  for (rules::Decision& decision : evaluation.decisions)
    rules::add_measured(decision, considered.record.measurement);
}

// W4: if the alarm is not confirmed, no action that needs it remains, and the record says why.
void confirm(const ActivePolicy& rules, Considered& considered, const Apis& apis) {
  std::vector<rules::Decision>& decisions = considered.evaluation.decisions;
  const auto& alarm = considered.sources.event().alarm;
  const bool asked = std::ranges::any_of(decisions, acts);
  if (!alarm || (!asked && !ask_for_blindness(rules.policy))) return;
  Record& record = considered.record;
  const auto watch = rules::watch_of(*alarm, rules.policy);
  AlarmCheck check;
  if (!watch)
    check.measurement = std::make_shared<rules::Measurement>(watch.error());
  else if (auto checked = confirm_alarm({rules, considered.job, considered.sources, apis}, **watch))
    check = *std::move(checked);
  else
    record.error = std::move(checked).error().in("the alarm could not be confirmed");
  // No rule needs the measurement.
  if (!asked && !check.blind && !record.error) return;
  record.measurement = check.measurement;
  record.blind = check.blind;
  if (check.verdict == AlarmCheck::Verdict::kConfirmed) {
    considered.confirmed_at = apis.now();
    considered.hourly_cost = check.hourly_cost;
    for (rules::Decision& decision : decisions)
      rules::confirm(decision, check.measurement, check.rests_on_silence);
    return;
  }
  record.conclusion = conclusion(check.verdict);
  decisions.clear();
  // The job reports again, so a later silence must be seen anew (P7). If the alarm is blind, the
  // job has not reported.
  if (watch && !check.blind && (*watch)->missing == rules::Watch::Missing::kBreaching &&
      !check.item_id.empty() && may_remember(rules, apis))
    record_signal(rules::silent_metric(check.item_id, alarm->watch), record, apis);
  if (check.blind && ask_for_blindness(rules.policy)) decide_on_blindness(rules, considered, apis);
}

// The job writes again, so a later silence must be seen anew (P7). The brake as other jobs of this
// invocation have read it is recent enough: this job is writing, so it was not noted as silent just
// now.
void note_that_it_writes(const ActivePolicy& rules, Considered& considered, const Apis& apis) {
  const auto silence = considered.sources.known(rules::Source::kSilence);
  const rules::TrainingJob* const job = considered.sources.job();
  const auto shortest = rules.policy.shortest_silence();
  if (!silence || !shortest || job == nullptr || !rules::is_writing(*silence, *shortest) ||
      !may_remember(rules, apis))
    return;
  const auto id = job_item_id(*job);
  if (!id) return;
  const std::string who = rules::silent_logs(*id);
  const auto brake = last_brake(apis);
  if (!brake) considered.record.error = brake.error();
  if (brake && brake->seen.contains(who)) record_signal(who, considered.record, apis);
}

// False if the job no longer exists.
bool gather_for_end(Considered& considered, rules::Mode ceiling, const Apis& apis) {
  const rules::SourceSet needs = needs_for_end(considered.sources, ceiling, apis);
  if (needs.empty()) return true;
  const Gathered gathered = gather(considered.sources, needs, considered.job, apis);
  if (gathered == Gathered::kJob) return true;
  considered.record.conclusion = conclusion_of(gathered);
  considered.evaluation = {};
  return false;
}

// Whether a notice may have been claimed but not sent, by this invocation or by one that died after
// it stopped the job.
bool may_have_pending_notices(const rules::Sources& sources,
                              std::span<const DecisionOutcome> outcomes) {
  // A notice that could not be sent just now is sent when the event comes again.
  for (const DecisionOutcome& one : outcomes)
    for (const ActionOutcome& action : one.actions)
      if (action.action == rules::ActionKind::kNotify && action.error) return false;
  if (sources.job() != nullptr && sources.job()->status != rules::JobStatus::kInProgress &&
      sources.job()->status != rules::JobStatus::kUnknown)
    return true;
  return std::ranges::any_of(outcomes, [](const DecisionOutcome& one) {
    return one.decision.mode == rules::Mode::kEnforce &&
           std::ranges::any_of(one.actions, [](const ActionOutcome& action) {
             using Kind = rules::ActionResult::Kind;
             return rules::acts_on_job(action.action) && !action.result.is(Kind::kHeldBack) &&
                    !action.result.is(Kind::kRefused);
           });
  });
}

void send_pending_notices(const Subject& subject, Record& record) {
  const Apis& apis = subject.apis;
  if (!apis.table || subject.rules.mode() == rules::Mode::kObserve ||
      record.conclusion != Conclusion::kDecided ||
      !may_have_pending_notices(subject.sources, record.decisions))
    return;
  const rules::TrainingJob* job = subject.sources.job();
  // If this invocation has read the job's item, it is known whether notices are pending, even if
  // the job was not described.
  const std::string seen = seen_item_of(subject.job.name.view(), job, apis);
  if (!seen.empty() && !has_pending_notices(seen, apis)) return;
  rules::Sources sources(subject.sources.event());
  // Describe the job again, since this invocation has changed it.
  if (!record.decisions.empty() || job == nullptr) {
    if (gather(sources, {rules::Source::kDescribe}, subject.job, apis) != Gathered::kJob) return;
    job = sources.job();
  }
  if (job == nullptr) return;
  const auto id = job_item_id(*job);
  if (!id) return;
  record.pending_notices = send_pending(*id, rules::observed_job(*job), apis);
}

}  // namespace

Considered consider(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis) {
  apis.begin_look();
  Considered out{job, rules::Sources(event), {}, {}};
  Record& record = out.record;
  record.trigger = event.trigger;
  record.job = job.name.str();
  record.state = rules::state_of(out.sources);
  record.event = claim_of(event);
  record.policy_hash = rules.policy.hash();
  if (!decide_on(rules, out, apis)) return out;
  if (gather_for_end(out, rules.ceiling, apis)) record.state = rules::state_of(out.sources);
  if (const rules::TrainingJob* const described = out.sources.job())
    out.hourly_cost = rules::hourly_cost(*described, rules.policy.prices(), apis.now());
  note_that_it_writes(rules, out, apis);
  confirm(rules, out, apis);
  return out;
}

Record carry_out(const ActivePolicy& rules, Considered considered, const Apis& apis) {
  apis.begin_look();
  if (considered.confirmed_at && apis.now() - *considered.confirmed_at > kConfirmedFor)
    confirm(rules, considered, apis);
  Record record = std::move(considered.record);
  const Subject subject{rules, considered.job, considered.sources, apis, considered.queued};
  if (considered.waited == QueueWait::kTooLong && considered.queued)
    record.restart = end_waiting(subject, considered.evaluation.decisions);
  else if (considered.later)
    considered.hold = rules::not_done(rules::Why::kWaitsItsTurn);
  else if (record.conclusion == Conclusion::kDecided)
    record.restart =
        finish_restart(subject, std::ranges::any_of(considered.evaluation.decisions, restarts));
  // A restart that is under way was counted when it began (P7), and goes before what rules ask for
  // now.
  if (record.restart && !considered.hold)
    considered.hold = rules::not_done(rules::Why::kUnfinishedRestart);
  record.dropped = std::move(considered.evaluation.dropped);
  record.skipped = std::move(considered.evaluation.skipped);
  record.exempted = std::move(considered.evaluation.exempted);
  record.exempted_because = std::move(considered.evaluation.exempted_because);
  record.decisions = execute(subject, std::move(considered.evaluation.decisions), considered.hold,
                             restart_may_come(subject, record.skipped), considered.passes);
  send_pending_notices(subject, record);
  update_queue(subject, considered.waited, record);
  const rules::TrainingJob* const job = considered.sources.job();
  record.open_intents = open_intents_of(seen_item_of(record.job, job, apis), job, record, apis);
  if (job != nullptr) record.unknown_members = rules::unknown_in(*job);
  if (const rules::JobTags* const tags = considered.sources.tags())
    record.generation = rules::lineage_of(*tags, record.job).generation;
  const bool gone = record.conclusion == Conclusion::kGone;
  const bool ended =
      gone || (record.conclusion == Conclusion::kDecided && seems_ended(considered.sources));
  // W3. If the policy has no watches, alarms of an earlier policy are left to the sweep.
  if (ended && apis.powers.clear_alarms != nullptr && !rules.policy.watches().empty())
    record.left_over = apis.powers.clear_alarms(subject, gone);
  return record;
}

ConsideredDue consider_due(const ActivePolicy& rules, const JobRef& job, const std::string& id,
                           sys_millis created, const Apis& apis) {
  apis.begin_look();
  ConsideredDue out{.job = job,
                    .id = id,
                    .sources = rules::Sources(
                        {.trigger = rules::Trigger::kSweep,
                         .job_name = job.name.str(),
                         .creation_time = std::chrono::floor<std::chrono::seconds>(created)}),
                    .record = {.trigger = rules::Trigger::kSweep,
                               .job = job.name.str(),
                               .state = {},
                               .policy_hash = rules.policy.hash()}};
  Record& record = out.record;
  const Gathered gathered = gather(out.sources, {rules::Source::kDescribe}, job, apis);
  record.state = rules::state_of(out.sources);
  if (const Error* const error = out.sources.unavailable(rules::Source::kDescribe)) {
    record.error = *error;
    return out;
  }
  const rules::TrainingJob* const found = out.sources.job();
  out.is_it = gathered == Gathered::kJob && found != nullptr &&
              job_item_id(*found).value_or(std::string()) == id;
  if (!out.is_it) {
    record.conclusion = gathered == Gathered::kGone ? Conclusion::kGone : Conclusion::kNamesake;
    return out;
  }
  const auto item = read_job_item(id, apis);
  if (!item)
    record.error = item.error();
  else
    out.has_pending_copy = rules::settle(*item, rules::observed_job(*found), apis.now()).kind ==
                           rules::Settlement::Kind::kMakeCopy;
  return out;
}

Record carry_out_due(const ActivePolicy& rules, ConsideredDue due, const Apis& apis) {
  apis.begin_look();
  Record record = std::move(due.record);
  if (record.error) return record;
  record.restart = finish_due({rules, due.job, due.sources, apis}, due.id, !due.is_it);
  const rules::ObservedJob observed =
      due.is_it ? rules::observed_job(*due.sources.job())
                : rules::ObservedJob{.status = rules::ObservedJob::Status::kGone};
  if (rules.mode() != rules::Mode::kObserve)
    record.pending_notices = send_pending(due.id, observed, apis);
  record.open_intents =
      open_intents_of(due.id, due.is_it ? due.sources.job() : nullptr, record, apis);
  return record;
}

Record handle_job(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis) {
  return carry_out(rules, consider(rules, job, event, apis), apis);
}

}  // namespace trainwarden::actions
