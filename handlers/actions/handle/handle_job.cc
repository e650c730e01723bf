#include "handlers/actions/handle/handle_job.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "handlers/actions/alarms/confirm_alarm.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/handle/execute.h"
#include "handlers/actions/handle/notify.h"
#include "handlers/actions/restart/finish_restart.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/lineage.h"

namespace trainwarden::actions {
namespace {

// By what Describe said; without it, by what the event told.
bool seems_ended(const rules::Sources& sources) {
  if (const rules::TrainingJob* const job = sources.job()) return job->has_ended();
  return rules::is_terminal(sources.event().training_job_status.value_or(""));
}

// A confirmation that is older is made anew: a sweep considers many jobs before it acts on one.
constexpr std::chrono::seconds kConfirmedFor{60};

// Whether a decision does more than see to a job's alarms.
bool acts(const rules::Decision& decision) { return !rules::only_watches(decision.actions); }

bool rests_on_alarm(const rules::Decision& decision) {
  return std::ranges::any_of(decision.because, [](const rules::Because& because) {
    return because.path.starts_with("alarm.") || because.path == "event.trigger";
  });
}

void tell_measured(rules::Decision& decision, const std::string& measured) {
  std::erase_if(decision.because,
                [](const rules::Because& because) { return because.path == kMeasured; });
  if (rests_on_alarm(decision))
    decision.because.push_back({.path = std::string(kMeasured), .value = measured});
}

// W4. Where the alarm is not confirmed, nothing is left to be done, and the record says why.
void confirm(const ActivePolicy& rules, Considered& considered, const Apis& apis) {
  std::vector<rules::Decision>& decisions = considered.evaluation.decisions;
  const auto& alarm = considered.sources.event().alarm;
  if (!alarm || std::ranges::none_of(decisions, acts)) return;
  Record& record = considered.record;
  const auto watch = rules::watch_of(*alarm, rules.policy);
  AlarmCheck check;
  if (!watch)
    check.why = watch.error();
  else if (auto checked = confirm_alarm({rules, considered.job, considered.sources, apis}, **watch))
    check = *std::move(checked);
  else
    record.error = std::move(checked).error().in("the alarm could not be confirmed");
  record.measured = check.measured;
  record.unconfirmed = check.why;
  if (check.verdict == AlarmCheck::Verdict::kConfirmed) {
    considered.confirmed_at = apis.now();
    for (rules::Decision& decision : decisions) tell_measured(decision, check.measured);
    return;
  }
  record.conclusion = conclusion(check.verdict);
  decisions.clear();
}

// Of a job that is not there any more.
Conclusion conclusion_of(Gathered gathered) {
  return gathered == Gathered::kGone ? Conclusion::kGone : Conclusion::kNamesake;
}

// Lets one source after the other be asked for; false where the job is not there any more.
bool gather_for_intent(Considered& considered, const Apis& apis) {
  for (auto needs = needs_for_intent(considered.sources, apis); !needs.empty();
       needs = needs_for_intent(considered.sources, apis)) {
    const Gathered gathered = gather(considered.sources, needs, considered.job, apis);
    if (gathered == Gathered::kJob) continue;
    considered.record.conclusion = conclusion_of(gathered);
    considered.evaluation = {};
    return false;
  }
  return true;
}

}  // namespace

Considered consider(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis) {
  Considered out{job, rules::Sources(event), {}, {}};
  Record& record = out.record;
  record.trigger = event.trigger;
  record.job = job.name.str();
  record.state = rules::state_of(out.sources);
  record.policy_hash = rules.policy.hash();
  // Each round fetches at least one source, so there cannot be more rounds than sources.
  for (std::size_t round = 0; round <= rules::kSourceCount; ++round) {
    const rules::Facts facts =
        rules::facts_from(out.sources, rules.policy.prices(), apis.now(), rules.policy.failures());
    out.evaluation = rules::decide(rules.policy, facts, rules.ceiling);
    if (out.evaluation.needs.empty()) break;
    const Gathered gathered = gather(out.sources, out.evaluation.needs, job, apis);
    record.state = rules::state_of(out.sources);
    if (gathered == Gathered::kJob) continue;
    record.conclusion = conclusion_of(gathered);
    out.evaluation = {};
    return out;
  }
  if (gather_for_intent(out, apis)) record.state = rules::state_of(out.sources);
  confirm(rules, out, apis);
  return out;
}

Record carry_out(const ActivePolicy& rules, Considered considered, const Apis& apis) {
  if (considered.confirmed_at && apis.now() - *considered.confirmed_at > kConfirmedFor)
    confirm(rules, considered, apis);
  Record record = std::move(considered.record);
  const Subject subject{rules, considered.job, considered.sources, apis};
  if (record.conclusion == Conclusion::kDecided) record.intent = finish_restart(subject);
  record.dropped = std::move(considered.evaluation.dropped);
  record.skipped = std::move(considered.evaluation.skipped);
  record.decisions = execute(subject, std::move(considered.evaluation.decisions), considered.hold);
  if (auto owed = owed_notice(subject, record.decisions, record.intent ? &*record.intent : nullptr))
    record.decisions.push_back(*std::move(owed));
  if (const rules::JobTags* const tags = considered.sources.tags())
    record.generation = rules::lineage_of(*tags, record.job).generation;
  const bool gone = record.conclusion == Conclusion::kGone;
  const bool ended =
      gone || (record.conclusion == Conclusion::kDecided && seems_ended(considered.sources));
  // W3. Alarms that an earlier policy left are the sweep's.
  if (ended && apis.powers.clear_alarms != nullptr && !rules.policy.watches().empty())
    record.left_over = apis.powers.clear_alarms(subject, gone, std::nullopt);
  return record;
}

Record handle_job(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis) {
  return carry_out(rules, consider(rules, job, event, apis), apis);
}

}  // namespace trainwarden::actions
