#include "handlers/rules/backtest/stop_verdict.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainwarden::rules {
namespace {

// Members of a description that its end, or its running, changes.
constexpr std::array<std::string_view, 13> kChanging = {"TrainingEndTime",
                                                        "TrainingStartTime",
                                                        "LastModifiedTime",
                                                        "TrainingTimeInSeconds",
                                                        "BillableTimeInSeconds",
                                                        "FailureReason",
                                                        "ModelArtifacts",
                                                        "FinalMetricDataList",
                                                        "SecondaryStatusTransitions",
                                                        "WarmPoolStatus",
                                                        "ProfilingStatus",
                                                        "DebugRuleEvaluationStatuses",
                                                        "ProfilerRuleEvaluationStatuses"};

// Whether a job that was just created has that status, too.
bool is_beginning(std::string_view status) {
  return status == "InProgress" || status == "Starting" || status == "Pending" ||
         status == "LaunchingMLInstances" || status == "PreparingTrainingStack" ||
         status == "Downloading" || status == "DownloadingTrainingImage" || status == "Training";
}

bool is_fixed(const Because& because) {
  const std::size_t dot = because.path.find('.');
  const std::string_view group = std::string_view(because.path).substr(0, dot);
  const std::string_view path = std::string_view(because.path).substr(dot + 1);
  if (group == "tags" || group == "resources" || group == "lineage" || group == "event")
    return true;
  if (group == "cost") return path == "usd_per_hour" || path == "max_usd";
  if (group != "job") return false;
  if (path == "TrainingJobStatus" || path == "SecondaryStatus") return is_beginning(because.value);
  return std::ranges::none_of(kChanging, [&](std::string_view member) {
    return path.starts_with(member) && (path.size() == member.size() || path[member.size()] == '.');
  });
}

}  // namespace

bool was_fixed_at_creation(const Decision& decision) {
  return !decision.measured && !rests_on_alarm(decision) &&
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
    return after.resume == "no" ? std::pair(StopVerdict::kRight, StopGround::kFailedForGood)
                                : std::pair(StopVerdict::kUnknown, StopGround::kFailed);
  if (job.status == JobStatus::kStopped) return {StopVerdict::kUnknown, StopGround::kStopped};
  return {StopVerdict::kUnknown, StopGround::kNotTold};
}

}  // namespace trainwarden::rules
