#include "handlers/actions/sweep/would_act.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/actions/stop/grace.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/job/hourly_cost.h"
#include "handlers/rules/job/tuner.h"
#include "handlers/rules/notices/notice.h"
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

// Whether a decision's stop or restart would be carried out, and whether it was counted before.
enum class Act : std::uint8_t { kNone, kCounted, kNew };

class Asking {
 public:
  Asking(Considered& considered, const ActivePolicy& rules, const Apis& apis)
      : considered_(considered), rules_(rules), apis_(apis) {}

  Act asks_for(const rules::Decision& decision) {
    Act out = Act::kNone;
    for (const rules::Action& action : decision.actions) {
      if (action.kind == rules::ActionKind::kStop) out = std::max(out, stop(decision, action));
      if (action.kind == rules::ActionKind::kRestart &&
          would_restart(considered_, action.restart, apis_))
        out = Act::kNew;
    }
    return out;
  }

 private:
  Act stop(const rules::Decision& decision, const rules::Action& action) {
    if (!asked_) runs_ = runs(considered_, rules_, apis_);
    asked_ = true;
    if (!runs_) return Act::kNone;
    const rules::TrainingJob* const job = considered_.sources.job();
    if (!rules::is_announced(action) || job == nullptr) return Act::kNew;
    const auto id = job_item_id(*job);
    if (!id) return Act::kNew;
    switch (grace_stage(*id, decision, rules_.policy, apis_)) {
      case GraceStage::kWaits:
        return Act::kNone;
      case GraceStage::kCounted:
        return Act::kCounted;
      case GraceStage::kNotAnnounced:
        break;
    }
    return Act::kNew;
  }

  Considered& considered_;
  const ActivePolicy& rules_;
  const Apis& apis_;
  bool asked_ = false;
  bool runs_ = false;  // once asked
};

}  // namespace

Acting would_act(Considered& considered, const ActivePolicy& rules, const Apis& apis) {
  Acting out;
  Asking asking(considered, rules, apis);
  for (const rules::Decision& decision : considered.evaluation.decisions) {
    if (decision.mode != rules::Mode::kEnforce || (decision.measured && out.measured)) continue;
    const Act act = asking.asks_for(decision);
    if (act == Act::kNone) continue;
    if (decision.measured)
      out.measured = true;
    else
      (act == Act::kNew ? out.described : out.counted).push_back(decision.index);
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

bool was_denied(const Record& record) {
  return std::ranges::any_of(record.decisions, [](const DecisionOutcome& decided) {
    return std::ranges::any_of(decided.actions, [](const ActionOutcome& outcome) {
      return rules::acts_on_job(outcome.action) &&
             ((outcome.error && rules::refused_for_good(*outcome.error)) ||
              outcome.result.is_because(rules::Why::kStopDeniedToday) ||
              outcome.result.is_because(rules::Why::kTunerStopDenied));
    });
  });
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
