#include "handlers/rules/restart/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/job/intent.h"
#include "handlers/rules/job/job_times.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

using json::Value;

constexpr std::chrono::minutes kFirstWait{15};

std::string_view text(Value object, std::string_view member) {
  return string_of(object, member).value_or("");
}

std::optional<Value> resource_config(Value describe) {
  return describe.find_present("ResourceConfig");
}

std::string_view instance_type(Value describe) {
  const auto resources = resource_config(describe);
  if (!resources) return {};
  const auto groups = resources->find_present("InstanceGroups");
  return groups && groups->size() > 0 ? std::string_view() : text(*resources, "InstanceType");
}

// Whether something larger launched the job as a part of it, and launches its successors.
std::optional<Why> launched_by(const RestartCase& job) {
  if (!text(job.describe, "TuningJobArn").empty()) return Why::kLaunchedByTuningJob;
  if (!text(job.describe, "AutoMLJobArn").empty()) return Why::kLaunchedByAutoMlJob;
  if (!text(job.describe, "LabelingJobArn").empty()) return Why::kLaunchedByLabelingJob;
  // SageMaker Pipelines tags the jobs of its steps so.
  if (!text(job.tags, "sagemaker:pipeline-execution-arn").empty()) return Why::kLaunchedByPipeline;
  return std::nullopt;
}

bool is_persons_stop(Value describe) {
  const std::string_view secondary = text(describe, "SecondaryStatus");
  return text(describe, "TrainingJobStatus") == "Stopped" && secondary != "MaxRuntimeExceeded" &&
         secondary != "MaxWaitTimeExceeded";
}

// A job on its way to Stopped can still fail. SageMaker's own stops are nobody's.
bool failed_while_stopping(Value describe) {
  const auto transitions = describe.find_present("SecondaryStatusTransitions");
  if (!transitions || text(describe, "TrainingJobStatus") != "Failed") return false;
  bool stopping = false;
  for (const Value transition : transitions->elements()) {
    const std::string_view status = text(transition, "Status");
    if (status == "MaxRuntimeExceeded" || status == "MaxWaitTimeExceeded") return false;
    stopping = stopping || status == "Stopping";
  }
  return stopping;
}

Reason refusal(Why why) { return {.why = why}; }

// P4: whoever stopped the job for good, a rule or a person, is not overruled by a rule. By hand
// what a rule stopped may be run again where it ended otherwise.
std::optional<Reason> why_stopped(const RestartCase& job) {
  const bool runs = text(job.describe, "TrainingJobStatus") == "InProgress";
  const bool for_good = runs ? is_being_stopped_for_good(job.tags, job.now)
                             : was_stopped_for_good(job.tags, job.describe);
  const std::string_view intent = text(job.tags, kIntentTag);
  if (job.by_hand) {
    // Restarting by hand a job that our own restart stopped completes that restart.
    const bool ours = !intent.empty() && !for_good;
    return is_persons_stop(job.describe) && !ours ? std::optional(refusal(Why::kStoppedOnPurpose))
                                                  : std::nullopt;
  }
  if (for_good && runs) return refusal(Why::kRuleStops);
  if (for_good) return refusal(Why::kRuleStopped);
  if (!is_persons_stop(job.describe) && !failed_while_stopping(job.describe)) return std::nullopt;
  if (!intent.empty() && !why_void(intent, job.describe, job.tags)) return std::nullopt;
  if (intent == kVoidIntent && text(job.tags, kActionTag) == "restart")
    return refusal(Why::kCameToNothing);
  return refusal(Why::kStoppedOnPurpose);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

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
std::string fingerprint(Value describe, std::span<const std::string_view> names) {
  const std::string_view secondary = text(describe, "SecondaryStatus");
  if (secondary == "MaxRuntimeExceeded" || secondary == "MaxWaitTimeExceeded")
    return std::string(secondary);
  if (text(describe, "TrainingJobStatus") != "Failed") return {};
  std::string reason(text(describe, "FailureReason"));
  const auto code = exit_code(reason);
  for (const std::string_view name : names) reason = without_name(reason, name);
  return fmt::format("Failed {} {}", code.value_or(0), without_numbers(reason));
}

}  // namespace

bool same_failure(Value a, Value b) {
  std::array<std::string_view, 2> names = {text(a, "TrainingJobName"), text(b, "TrainingJobName")};
  // A copy's name begins with that of its root.
  if (names[0].size() < names[1].size()) std::swap(names[0], names[1]);
  const std::string print = fingerprint(a, names);
  return !print.empty() && print == fingerprint(b, names);
}

std::optional<sys_seconds> waited_until(Value tags) {
  const auto at = parse_rfc3339(text(tags, kWaitsTag));
  return at ? std::optional(*at) : std::nullopt;
}

bool may_pass(std::span<const std::string> roles, std::string_view role) {
  const auto allows = [&](std::string_view allowed) {
    if (!allowed.ends_with('*')) return role == allowed;
    allowed.remove_suffix(1);
    return role.starts_with(allowed);
  };
  return roles.empty() || std::ranges::any_of(roles, allows);
}

std::optional<Reason> why_no_copy(const RestartCase& job) {
  const std::string_view status = text(job.describe, "TrainingJobStatus");
  if (status == "Completed") return refusal(Why::kCompleted);
  if (status == "Deleting") return refusal(Why::kBeingDeleted);
  if (const auto launched = launched_by(job)) return refusal(*launched);
  if (const auto resources = resource_config(job.describe);
      resources && !text(*resources, "TrainingPlanArn").empty())
    return refusal(Why::kTrainingPlan);
  if (const std::string_view role = text(job.describe, "RoleArn"); !may_pass(job.pass_roles, role))
    return Reason{.why = Why::kRoleNotAllowed, .name = std::string(role)};
  const auto ended = ended_at(job.describe);
  if (is_terminal(status) && !job.by_hand && (!ended || job.now - *ended > kCopiedWithin))
    return Reason{.why = Why::kEndedLongAgo, .number = kCopiedWithin.count()};
  return std::nullopt;
}

bool needs_parent(const RestartCase& job, const Restart& options) {
  if (fingerprint(job.describe, {}).empty() || is_capacity_failure(job.describe)) return false;
  const double trained = job_times(job.describe, job.now).training_seconds.value_or(0);
  return trained < static_cast<double>(options.min_progress_seconds) &&
         !text(job.tags, kParentTag).empty();
}

std::optional<Reason> why_no_restart(const RestartCase& job, const Restart& options,
                                     std::optional<Value> parent) {
  if (auto stopped = why_stopped(job)) return stopped;
  const Lineage lineage = lineage_of(job.tags, text(job.describe, "TrainingJobName"));
  if (!lineage.generation) return refusal(Why::kUnknownGeneration);
  if (*lineage.generation >= options.limit)
    return Reason{.why = Why::kLimit,
                  .name = lineage.root,
                  .number = *lineage.generation,
                  .limit = options.limit};
  if (!needs_parent(job, options)) return std::nullopt;
  const double trained = job_times(job.describe, job.now).training_seconds.value_or(0);
  if (!parent) return Reason{.why = Why::kParentGone, .name = lineage.parent, .seconds = trained};
  if (!same_failure(*parent, job.describe)) return std::nullopt;
  return Reason{.why = Why::kSameFailure,
                .name = lineage.parent,
                .limit = options.min_progress_seconds,
                .seconds = trained};
}

CopyChanges changes_for(Value describe, std::optional<bool> spot,
                        std::span<const std::string> instance_types) {
  CopyChanges out{spot, {}};
  const std::string_view type = instance_type(describe);
  if (type.empty() || instance_types.empty()) return out;
  const auto at = std::ranges::find(instance_types, type);
  if (at == instance_types.end())
    out.instance_type = instance_types.front();
  else if (is_capacity_failure(describe) && at + 1 != instance_types.end())
    out.instance_type = *(at + 1);
  return out;
}

std::optional<sys_seconds> wait_for_capacity(Value describe, std::int64_t generation,
                                             const CopyChanges& changes) {
  if (!is_capacity_failure(describe)) return std::nullopt;
  const auto flag = describe.find_present("EnableManagedSpotTraining");
  const bool spot = flag && flag->is_boolean() && flag->as_boolean();
  const bool other_type =
      !changes.instance_type.empty() && changes.instance_type != instance_type(describe);
  if (other_type || changes.spot.value_or(spot) != spot) return std::nullopt;
  // After 7 generations the wait would be longer than kCopiedWithin anyway.
  constexpr std::int64_t kMostDoublings = 7;
  const auto wait = kFirstWait * (1U << std::clamp<std::int64_t>(generation, 0, kMostDoublings));
  return ended_at(describe).value_or(sys_seconds()) + wait;
}

}  // namespace trainwarden::rules
