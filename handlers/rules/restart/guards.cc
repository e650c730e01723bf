#include "handlers/rules/restart/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/job/allowed_list.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/observed_job.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::chrono::minutes kFirstWait{15};

// Whether something larger launched the job as a part of it, and launches its successors.
std::optional<Why> launched_by(const RestartCase& found) {
  if (!found.job.tuning_job_arn.empty()) return Why::kLaunchedByTuningJob;
  if (!found.job.auto_ml_job_arn.empty()) return Why::kLaunchedByAutoMlJob;
  if (!found.job.labeling_job_arn.empty()) return Why::kLaunchedByLabelingJob;
  if (is_pipeline_step(found.tags)) return Why::kLaunchedByPipeline;
  if (is_state_machine_task(found.tags)) return Why::kLaunchedByStateMachine;
  if (is_named_by_batch(found.job.name)) return Why::kLaunchedByBatch;
  return std::nullopt;
}

// Somebody's: not SageMaker's own, at a limit.
bool is_stop(const TrainingJob& job) {
  return job.status == JobStatus::kStopped && !is_limit(job.secondary);
}

// A job on its way to Stopped can still fail. SageMaker's own stops are nobody's.
bool failed_while_stopping(const TrainingJob& job) {
  if (!job.transitions || job.status != JobStatus::kFailed) return false;
  bool stopping = false;
  for (const Transition& transition : *job.transitions) {
    if (is_limit(transition.status)) return false;
    stopping = stopping || transition.status == SecondaryStatus::kStopping;
  }
  return stopping;
}

Reason refusal(Why why) { return {.why = why}; }

bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }

// Words that hold a digit become `#`: counts, addresses, times, ids.
std::string without_numbers(std::string_view from) {
  std::string out;
  for (std::size_t i = 0; i < from.size();) {
    if (!is_word(from[i])) {
      out += from[i++];
      continue;
    }
    std::size_t end = i;
    while (end < from.size() && is_word(from[end])) ++end;
    const std::string_view word = from.substr(i, end - i);
    if (std::ranges::any_of(word, is_digit))
      out += '#';
    else
      out += word;
    i = end;
  }
  return out;
}

std::string without_name(std::string_view from, std::string_view name) {
  std::string out(from);
  if (name.empty()) return out;
  for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name, at))
    out.replace(at, name.size(), "");
  return out;
}

// Of a job that failed or ran into a limit; empty for others.
std::string fingerprint(const TrainingJob& job, std::span<const std::string_view> names) {
  if (is_limit(job.secondary)) return std::string(job.secondary_text);
  if (job.status != JobStatus::kFailed) return {};
  std::string reason(job.failure_reason);
  const auto code = exit_code(reason);
  for (const std::string_view name : names) reason = without_name(reason, name);
  return fmt::format("Failed {} {}", code.value_or(0), without_numbers(reason));
}

}  // namespace

bool same_failure(const TrainingJob& a, const TrainingJob& b) {
  std::array<std::string_view, 2> names = {a.name, b.name};
  // A copy's name begins with that of its root.
  if (names[0].size() < names[1].size()) std::swap(names[0], names[1]);
  const std::string print = fingerprint(a, names);
  return !print.empty() && print == fingerprint(b, names);
}

std::vector<Reason> all_against_copy(const RestartCase& found) {
  const TrainingJob& job = found.job;
  std::vector<Reason> out;
  if (job.status == JobStatus::kCompleted) out.push_back(refusal(Why::kCompleted));
  if (job.status == JobStatus::kDeleting) out.push_back(refusal(Why::kBeingDeleted));
  if (const auto launched = launched_by(found)) out.push_back(refusal(*launched));
  if (job.in_training_plan) out.push_back(refusal(Why::kTrainingPlan));
  if (!is_allowed(found.pass_roles, job.role_arn))
    out.push_back({.why = Why::kRoleNotAllowed, .name = std::string(job.role_arn)});
  const auto ended = job.ended();
  if (job.has_ended() && (!ended || found.now - *ended > kCopiedWithin))
    out.push_back({.why = Why::kEndedLongAgo, .number = kCopiedWithin.count()});
  return out;
}

std::optional<Reason> why_no_copy(const RestartCase& found) {
  std::vector<Reason> all = all_against_copy(found);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

bool needs_parent(const RestartCase& found, const Restart& options) {
  if (fingerprint(found.job, {}).empty() || is_capacity_failure(found.job)) return false;
  const double trained = job_times(found.job, found.now).training_seconds.value_or(0);
  return trained < static_cast<double>(options.min_progress_seconds) &&
         !found.lineage.parent.empty();
}

std::optional<Reason> why_stopped(const TrainingJob& job, const JobItem& item, sys_seconds now) {
  if (stop_counts(item, observed_job(job), now))
    return refusal(job.status == JobStatus::kInProgress ? Why::kRuleStops : Why::kRuleStopped);
  if (!is_stop(job) && !failed_while_stopping(job)) return std::nullopt;
  if (item.restart && item.closed && is_final(item.closed->why))
    return refusal(Why::kCameToNothing);
  return refusal(Why::kStoppedOnPurpose);
}

std::optional<Reason> why_no_restart(const RestartCase& found, const Restart& options,
                                     const TrainingJob* parent) {
  const Lineage& lineage = found.lineage;
  if (!lineage.generation) return refusal(Why::kUnknownGeneration);
  if (*lineage.generation >= options.limit)
    return Reason{.why = Why::kLimit,
                  .name = lineage.root,
                  .number = *lineage.generation,
                  .limit = options.limit};
  if (!needs_parent(found, options)) return std::nullopt;
  const double trained = job_times(found.job, found.now).training_seconds.value_or(0);
  if (parent == nullptr)
    return Reason{.why = Why::kParentGone, .name = lineage.parent, .seconds = trained};
  if (!same_failure(*parent, found.job)) return std::nullopt;
  return Reason{.why = Why::kSameFailure,
                .name = lineage.parent,
                .limit = options.min_progress_seconds,
                .seconds = trained};
}

CopyChanges changes_for(const TrainingJob& job, std::optional<bool> spot,
                        std::span<const std::string> instance_types, const CopySettings& settings) {
  CopyChanges out{spot, {}, settings};
  const std::string_view type = job.instance_type;
  if (type.empty() || instance_types.empty()) return out;
  const auto at = std::ranges::find(instance_types, type);
  if (at == instance_types.end())
    out.instance_type = instance_types.front();
  else if (is_capacity_failure(job) && at + 1 != instance_types.end())
    out.instance_type = *(at + 1);
  return out;
}

std::optional<sys_seconds> wait_for_capacity(const TrainingJob& job, std::int64_t generation,
                                             const CopyChanges& changes) {
  if (!is_capacity_failure(job)) return std::nullopt;
  const bool other_type =
      !changes.instance_type.empty() && changes.instance_type != job.instance_type;
  const auto& count = changes.settings.instance_count;
  const bool other_count =
      count && job.instances.size() == 1 && static_cast<double>(*count) != job.instances[0].count;
  if (other_type || other_count || changes.spot.value_or(job.spot) != job.spot) return std::nullopt;
  // After 7 generations the wait would be longer than kCopiedWithin anyway.
  constexpr std::int64_t kMostDoublings = 7;
  const auto wait = kFirstWait * (1U << std::clamp<std::int64_t>(generation, 0, kMostDoublings));
  return job.ended().value_or(sys_seconds()) + wait;
}

}  // namespace trainwarden::rules
