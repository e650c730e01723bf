#include "handlers/rules/backtest/stop_verdict.h"

#include <algorithm>
#include <string_view>

#include "handlers/rules/job/job_at.h"

namespace trainwarden::rules {
namespace {

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
  return !changes_later(path.substr(0, path.find('.')));
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
