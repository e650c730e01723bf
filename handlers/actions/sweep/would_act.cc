#include "handlers/actions/sweep/would_act.h"

#include <fmt/core.h>

#include <algorithm>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/actions/stop/grace.h"
#include "handlers/rules/job/hourly_cost.h"
#include "handlers/rules/job/tuner.h"
#include "runtime/base/ascii.h"

namespace trainwarden::actions {
namespace {

// Whether the job is running. Counts as running if unknown.
bool runs(Considered& considered, const ActivePolicy& rules, const Apis& apis) {
  if (considered.sources.job() == nullptr && gather(considered.sources, {rules::Source::kDescribe},
                                                    considered.job, apis) != Gathered::kJob)
    return false;
  const rules::TrainingJob* const job = considered.sources.job();
  if (job != nullptr)
    considered.hourly_cost = rules::hourly_cost(*job, rules.policy.prices(), apis.now());
  return job == nullptr || job->status == rules::JobStatus::kInProgress;
}

// Whether no guard would refuse the restart now. Counts as not refused if unknown.
bool would_restart(const Considered& considered, const rules::Restart& options, const Apis& apis) {
  const auto original = read_snapshot(considered.job, std::nullopt, apis);
  if (!original) return !original.error().absent;
  if (original->status() == rules::JobStatus::kStopping) return false;
  return would_copy(*original, options, apis).value_or(true);
}

bool asks_for_act(Considered& considered, const rules::Decision& decision,
                  const ActivePolicy& rules, const Apis& apis) {
  return std::ranges::any_of(decision.actions, [&](const rules::Action& action) {
    if (action.kind == rules::ActionKind::kStop)
      return runs(considered, rules, apis) &&
             !waits_for_grace(considered.sources, decision, action, apis);
    return action.kind == rules::ActionKind::kRestart &&
           would_restart(considered, action.restart, apis);
  });
}

}  // namespace

Acting would_act(Considered& considered, const ActivePolicy& rules, const Apis& apis) {
  Acting out;
  for (const rules::Decision& decision : considered.evaluation.decisions) {
    bool& acts = decision.measured ? out.measured : out.described;
    if (decision.mode == rules::Mode::kEnforce && !acts)
      acts = asks_for_act(considered, decision, rules, apis);
  }
  return out;
}

std::string counted_as(const Considered& considered) {
  const auto& decisions = considered.evaluation.decisions;
  const auto stops_job_alone = [](const rules::Decision& decision) {
    return !decision.measured && decision.mode == rules::Mode::kEnforce &&
           std::ranges::any_of(decision.actions, [](const rules::Action& action) {
             return rules::acts_on_job(action.kind) && !rules::stops_tuner(action);
           });
  };
  const rules::TrainingJob* const job = considered.sources.job();
  const auto tuner = job == nullptr ? std::nullopt : rules::tuner_of(*job);
  if (!tuner || std::ranges::any_of(decisions, stops_job_alone)) return considered.record.job;
  return lower_case(fmt::format("{} {}", rules::name(tuner->kind), rules::name_in(tuner->arn)));
}

bool was_stopped(const Record& record) {
  using Kind = rules::ActionResult::Kind;
  return std::ranges::any_of(record.decisions, [](const DecisionOutcome& decided) {
    return std::ranges::any_of(decided.actions, [](const ActionOutcome& outcome) {
      return outcome.result.is(Kind::kStopped) || outcome.result.is(Kind::kEndedBefore) ||
             outcome.result.is(Kind::kStoppingToCopy) || outcome.result.stopped_tuner();
    });
  });
}

}  // namespace trainwarden::actions
