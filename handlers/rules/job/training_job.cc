#include "handlers/rules/job/training_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/members.h"

namespace trainwarden::rules {
namespace {

using json::Value;

std::string_view text(Value object, std::string_view member) {
  return string_of(object, member).value_or("");
}

// Calls read(member) if that member is present.
template <class Read>
void within(Value object, std::string_view member, Read read) {
  if (const auto found = object.find_present(member)) read(*found);
}

std::optional<std::vector<Transition>> transitions_of(Value describe) {
  const auto list = describe.find_present("SecondaryStatusTransitions");
  if (!list || !list->is_array()) return std::nullopt;
  std::vector<Transition> out;
  out.reserve(list->size());
  for (const Value one : list->elements())
    out.push_back({secondary_status(text(one, "Status")), string_of(one, "Status"),
                   time_of(one, "StartTime"), time_of(one, "EndTime"),
                   one.find_present("EndTime").has_value()});
  return out;
}

void read_machines(Value config, TrainingJob& out) {
  const auto add = [&out](Value from) {
    if (const auto type = string_of(from, "InstanceType"))
      out.instances.push_back({*type, number_of(from, "InstanceCount").value_or(0)});
  };
  within(config, "InstanceGroups", [&](Value groups) {
    out.has_instance_groups = groups.size() > 0;
    for (const Value group : groups.elements()) add(group);
  });
  if (out.instances.empty()) add(config);
  if (!out.has_instance_groups) out.instance_type = text(config, "InstanceType");
  out.training_plan_arn = text(config, "TrainingPlanArn");
  out.keep_alive_seconds = number_of(config, "KeepAlivePeriodInSeconds");
}

void read_warm_pool(Value pool, WarmPool& out) {
  static constexpr std::array<std::pair<std::string_view, PoolStatus>, 4> kNames = {
      {{"Available", PoolStatus::kAvailable},
       {"Terminated", PoolStatus::kTerminated},
       {"Reused", PoolStatus::kReused},
       {"InUse", PoolStatus::kInUse}}};
  out.status_text = text(pool, "Status");
  if (!out.status_text.empty()) out.status = named(kNames, out.status_text, PoolStatus::kOther);
  out.retained_seconds = number_of(pool, "ResourceRetainedBillableTimeInSeconds");
  out.reused_by = text(pool, "ReusedByJob");
}

// Epoch seconds with a fraction, as AWS's JSON has times.
std::optional<sys_millis> millis_of(Value describe, std::string_view member) {
  const auto seconds = number_of(describe, member);
  constexpr double kLatest = 253'402'300'799.0;  // the year 9999
  if (!seconds || *seconds < 0 || *seconds > kLatest) return std::nullopt;
  return sys_millis(std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

}  // namespace

JobStatus job_status(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, JobStatus>, 6> kNames = {
      {{"InProgress", JobStatus::kInProgress},
       {"Completed", JobStatus::kCompleted},
       {"Failed", JobStatus::kFailed},
       {"Stopping", JobStatus::kStopping},
       {"Stopped", JobStatus::kStopped},
       {"Deleting", JobStatus::kDeleting}}};
  return named(kNames, text, JobStatus::kUnknown);
}

bool is_terminal(JobStatus status) {
  return status == JobStatus::kCompleted || status == JobStatus::kFailed ||
         status == JobStatus::kStopped || status == JobStatus::kDeleting;
}

bool is_terminal(std::string_view training_job_status) {
  return is_terminal(job_status(training_job_status));
}

SecondaryStatus secondary_status(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, SecondaryStatus>, 8> kNames = {
      {{"Downloading", SecondaryStatus::kDownloading},
       {"Training", SecondaryStatus::kTraining},
       {"Uploading", SecondaryStatus::kUploading},
       {"Interrupted", SecondaryStatus::kInterrupted},
       {"Stopping", SecondaryStatus::kStopping},
       {"Stopped", SecondaryStatus::kStopped},
       {"MaxRuntimeExceeded", SecondaryStatus::kMaxRuntimeExceeded},
       {"MaxWaitTimeExceeded", SecondaryStatus::kMaxWaitTimeExceeded}}};
  return named(kNames, text, SecondaryStatus::kOther);
}

bool is_limit(SecondaryStatus status) {
  return status == SecondaryStatus::kMaxRuntimeExceeded ||
         status == SecondaryStatus::kMaxWaitTimeExceeded;
}

bool has_just_begun(std::string_view status) {
  static constexpr std::array<std::string_view, 8> kBeginnings = {"InProgress",
                                                                  "Starting",
                                                                  "Pending",
                                                                  "LaunchingMLInstances",
                                                                  "PreparingTrainingStack",
                                                                  "Downloading",
                                                                  "DownloadingTrainingImage",
                                                                  "Training"};
  return std::ranges::find(kBeginnings, status) != kBeginnings.end();
}

bool go_together(std::string_view training_job_status, std::string_view secondary) {
  const JobStatus status = job_status(training_job_status);
  if (status == JobStatus::kDeleting) return true;
  for (const std::string_view end : {"Completed", "Failed", "Stopped"})
    if (secondary == end) return training_job_status == end;
  if (is_limit(secondary_status(secondary)))
    return status != JobStatus::kInProgress && status != JobStatus::kFailed;
  return !is_terminal(status);
}

TrainingJob read_training_job(Value describe) {
  TrainingJob out{.raw = describe};
  out.name = text(describe, "TrainingJobName");
  out.arn = text(describe, "TrainingJobArn");
  out.status_text = text(describe, "TrainingJobStatus");
  out.status = job_status(out.status_text);
  out.secondary_text = text(describe, "SecondaryStatus");
  out.secondary = secondary_status(out.secondary_text);
  out.failure_reason = text(describe, "FailureReason");
  out.created = time_of(describe, "CreationTime");
  out.created_exactly = millis_of(describe, "CreationTime");
  out.training_start = time_of(describe, "TrainingStartTime");
  out.training_end = time_of(describe, "TrainingEndTime");
  out.last_modified = time_of(describe, "LastModifiedTime");
  out.training_seconds = number_of(describe, "TrainingTimeInSeconds");
  out.billable_seconds = number_of(describe, "BillableTimeInSeconds");
  within(describe, "StoppingCondition", [&](Value limits) {
    out.max_runtime_seconds = number_of(limits, "MaxRuntimeInSeconds");
    out.max_wait_seconds = number_of(limits, "MaxWaitTimeInSeconds");
  });
  out.transitions = transitions_of(describe);
  within(describe, "ResourceConfig", [&](Value config) { read_machines(config, out); });
  within(describe, "WarmPoolStatus", [&](Value pool) { read_warm_pool(pool, out.warm_pool); });
  within(describe, "EnableManagedSpotTraining",
         [&](Value flag) { out.spot = flag.is_boolean() && flag.as_boolean(); });
  within(describe, "CheckpointConfig",
         [&](Value config) { out.checkpoint_uri = text(config, "S3Uri"); });
  out.role_arn = text(describe, "RoleArn");
  within(describe, "AlgorithmSpecification", [&](Value algorithm) {
    out.image = text(algorithm, "TrainingImage");
    out.algorithm_name = text(algorithm, "AlgorithmName");
  });
  out.tuning_job_arn = text(describe, "TuningJobArn");
  out.auto_ml_job_arn = text(describe, "AutoMLJobArn");
  out.labeling_job_arn = text(describe, "LabelingJobArn");
  return out;
}

std::vector<TrainingJob> read_search_page(Value results) {
  std::vector<TrainingJob> out;
  out.reserve(results.size());
  for (const Value result : results.elements())
    within(result, "TrainingJob", [&](Value job) { out.push_back(read_training_job(job)); });
  return out;
}

Result<void> check_description(Value describe) {
  for (const char* const name : {"TrainingJobStatus", "SecondaryStatus", "TrainingJobArn"}) {
    const auto member = describe.member(name, "DescribeTrainingJob");
    if (!member) return fail(ErrorCode::kBadResponse, member.error().message);
    const auto found = member->string(fmt::format("DescribeTrainingJob.{}", name));
    if (!found) return fail(ErrorCode::kBadResponse, found.error().message);
  }
  return {};
}

bool defines_metric(const TrainingJob& job, std::string_view metric) {
  const auto definitions = metric_definitions(job);
  return std::ranges::find(definitions, metric, &MetricDefinition::name) != definitions.end();
}

std::vector<std::string_view> secret_values(const TrainingJob& job) {
  std::vector<std::string_view> out;
  for (const EntryForm* const map : kFreeMaps)
    within(job.raw, map->member, [&](Value values) {
      for (const json::Member one : values.members())
        if (one.value.is_string()) out.push_back(one.value.as_string());
    });
  return out;
}

bool has_setting(const TrainingJob& job, std::string_view path) {
  const std::size_t dot = path.find('.');
  bool found = false;
  within(job.raw, path.substr(0, dot),
         [&](Value map) { found = map.find(path.substr(dot + 1)).has_value(); });
  return found;
}

std::vector<MetricDefinition> metric_definitions(const TrainingJob& job) {
  std::vector<MetricDefinition> out;
  within(job.raw, "AlgorithmSpecification", [&](Value algorithm) {
    within(algorithm, "MetricDefinitions", [&](Value definitions) {
      for (const Value definition : definitions.elements())
        out.push_back({text(definition, "Name"), text(definition, "Regex")});
    });
  });
  return out;
}

std::optional<sys_seconds> final_metric_time(const TrainingJob& job, std::string_view metric) {
  std::optional<sys_seconds> latest;
  within(job.raw, "FinalMetricDataList", [&](Value list) {
    for (const Value one : list.elements())
      if (const auto at = time_of(one, "Timestamp"); at && text(one, "MetricName") == metric)
        latest = std::max(latest.value_or(*at), *at);
  });
  return latest;
}

}  // namespace trainwarden::rules
