#include "handlers/rules/backtest/stop_verdict.h"

#include <algorithm>
#include <string_view>

#include "handlers/rules/job/job_at.h"

namespace trainwarden::rules {
namespace {

bool is_fixed(const Because& because) {
  const std::string_view member = because.member;
  switch (because.group) {
    case Group::kTags:
    case Group::kMachines:
    case Group::kGpus:
    case Group::kAccelerator:
    case Group::kResources:
    case Group::kLineage:
    case Group::kLauncher:
    case Group::kEvent:
      return true;
    case Group::kCost:
      return member == "usd_per_hour" || member == "max_usd";
    case Group::kJob:
      return because.just_begun || !changes_later(member.substr(0, member.find('.')));
    default:
      return false;
  }
}

}  // namespace

bool was_fixed_at_creation(const Decision& decision) {
  return !decision.measured && !decision.rests_on_alarm &&
         std::ranges::all_of(decision.because, is_fixed);
}

std::pair<StopVerdict, StopGround> verdict_of_stop(const Aftermath& after) {
  const TrainingJob& job = after.whole;
  if (was_fixed_at_creation(after.decision))
    return {StopVerdict::kRule, StopGround::kFixedAtCreation};
  if (job.status == JobStatus::kCompleted) return {StopVerdict::kWrong, StopGround::kCompleted};
  if (after.lasted == false) return {StopVerdict::kWrong, StopGround::kMetricCameBack};
  if (!job.has_ended()) return {StopVerdict::kUnknown, StopGround::kRunsStill};
  if (after.lasted == true) return {StopVerdict::kRight, StopGround::kBreachLasted};
  if (is_limit(job.secondary)) return {StopVerdict::kRight, StopGround::kReachedLimit};
  if (job.status == JobStatus::kFailed)
    return after.failure && after.failure->resume == RunAgain::kNo
               ? std::pair(StopVerdict::kRight, StopGround::kFailedForGood)
               : std::pair(StopVerdict::kUnknown, StopGround::kFailed);
  if (job.status == JobStatus::kStopped) return {StopVerdict::kUnknown, StopGround::kStopped};
  return {StopVerdict::kUnknown, StopGround::kNotTold};
}

}  // namespace trainwarden::rules
