#include "handlers/rules/job/training_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/members.h"
#include "handlers/rules/job/unknown_members.h"

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

std::string unexpected(std::string_view path, std::string_view expected, Value found) {
  return fmt::format("`{}`: expected {}, found `{}`", path, expected, found.excerpt());
}

// Reads on which machines a job runs. What is not told in a way that is known is unknown, never
// none.
class MachineReader {
 public:
  MachineReader(Value describe, TrainingJob& out) : describe_(describe), out_(out) {}

  void read() {
    const auto config = describe_.find_present("ResourceConfig");
    out_.has_resource_config = config.has_value();
    if (config && config->is_object())
      read_config(*config);
    else if (config)
      unknown(unexpected("ResourceConfig", "an object", *config));
    const auto serverless = describe_.find_present("ServerlessJobConfig");
    if (!out_.instances.empty() || (serverless && serverless->is_object())) {
      out_.machines_unknown.clear();
    } else if (out_.machines_unknown.empty()) {
      out_.machines_unknown = nothing_told();
    }
  }

 private:
  void read_config(Value config) {
    out_.in_training_plan = !text(config, "TrainingPlanArn").empty();
    out_.keep_alive_seconds = number_of(config, "KeepAlivePeriodInSeconds");
    within(config, "InstanceGroups", [&](Value groups) { read_groups(groups); });
    within(config, "InstancePreferences", [&](Value list) { read_preferences(config, list); });
    if (out_.has_instance_groups) return;
    const std::optional<double> count = count_in(config, "InstanceCount", kConfig);
    if (const auto selected = type_in(config, "SelectedInstanceType", kConfig))
      return add_selected(*selected, count_in(config, "SelectedInstanceCount", kConfig), count);
    const auto type = type_in(config, "InstanceType", kConfig);
    if (type && out_.has_preferences) return add_selected(*type, count, count);
    if (type) {
      out_.instance_type = *type;
      if (count_is_told(count)) out_.instances.push_back({*type, count.value_or(0)});
    } else if (out_.machines_unknown.empty() && !out_.preferences.empty()) {
      out_.instances = out_.preferences;
      out_.one_of = true;
    }
  }

  void read_groups(Value groups) {
    if (!groups.is_array()) return unknown(unexpected(kGroups, "a list", groups));
    out_.has_instance_groups = groups.size() > 0;
    std::vector<Instances> all;
    for (const Value group : groups.elements()) {
      const auto type = type_in(group, "InstanceType", kGroups);
      if (!type) return unknown(none_in(kGroups, "`InstanceType` in each group", group));
      const auto count = count_in(group, "InstanceCount", kGroups);
      if (!count_is_told(count)) return;
      all.push_back({*type, count.value_or(0)});
    }
    if (out_.machines_unknown.empty()) out_.instances = std::move(all);
  }

  // The count stands in each preference, or once beside the list. Beside such a list Describe may
  // have an InstanceCount of 0, as beside instance groups.
  void read_preferences(Value config, Value list) {
    if (!list.is_array()) return unknown(unexpected(kPreferences, "a list", list));
    out_.has_preferences = list.size() > 0;
    if (!out_.has_preferences)
      return unknown_if_alone(config, unexpected(kPreferences, "a preference or more", list));
    const auto once = number_of(config, "InstanceCount");
    const bool has_once = once && *once > 0;
    std::vector<Instances> all;
    for (const Value one : list.elements()) {
      within(one, "TrainingPlanArns", [&](Value plans) {
        out_.in_training_plan = out_.in_training_plan || plans.size() > 0 || !plans.is_array();
      });
      const auto type = type_in(one, "InstanceType", kPreferences);
      if (!type) {
        unknown(none_in(kPreferences, "`InstanceType` in each preference", one));
        continue;
      }
      const auto own = count_in(one, "InstanceCount", kPreferences);
      const bool is_selected =
          !text(config, "SelectedInstanceType").empty() || !text(config, "InstanceType").empty();
      if (own.has_value() == has_once && !is_selected)
        unknown(
            fmt::format("`{}.InstanceCount`: expected a count in each preference or once beside "
                        "the list, found {}",
                        kPreferences, has_once ? "both" : "neither"));
      all.push_back({*type, own ? *own : once.value_or(0)});
    }
    if (out_.machines_unknown.empty()) out_.preferences = std::move(all);
  }

  void add_selected(std::string_view type, std::optional<double> count,
                    std::optional<double> once) {
    if (!count || *count <= 0) {
      const auto at = std::ranges::find(out_.preferences, type, &Instances::type);
      count = at != out_.preferences.end() ? at->count : once;
    }
    if (count && *count > 0)
      out_.instances = {{type, *count}};
    else
      unknown("`ResourceConfig.SelectedInstanceCount`: expected a number of instances, found none");
  }

  // Without a count, members that are not known may tell one.
  bool count_is_told(std::optional<double> count) {
    if (count) return true;
    if (!out_.machines_unknown.empty()) return false;
    const auto paths = unknown_paths(describe_, kConfig);
    if (!paths.empty()) unknown(not_known(paths));
    return paths.empty();
  }

  std::optional<std::string_view> type_in(Value from, std::string_view member,
                                          std::string_view where) {
    const auto found = from.find_present(member);
    if (!found || (found->is_string() && found->as_string().empty())) return std::nullopt;
    if (found->is_string()) return found->as_string();
    unknown(unexpected(fmt::format("{}.{}", where, member), "an instance type", *found));
    return std::nullopt;
  }

  std::optional<double> count_in(Value from, std::string_view member, std::string_view where) {
    const auto found = from.find_present(member);
    if (!found) return std::nullopt;
    if (found->is_number()) return found->as_number();
    unknown(unexpected(fmt::format("{}.{}", where, member), "a number", *found));
    return std::nullopt;
  }

  std::string none_in(std::string_view where, std::string_view expected, Value found) const {
    const auto paths = unknown_paths(describe_, kConfig);
    return paths.empty() ? unexpected(where, expected, found) : not_known(paths);
  }

  std::string nothing_told() const {
    for (const std::string_view place : {kConfig, std::string_view()})
      if (const auto paths = unknown_paths(describe_, place); !paths.empty())
        return not_known(paths);
    return "expected machines in `ResourceConfig`, or `ServerlessJobConfig`, found neither";
  }

  void unknown_if_alone(Value config, std::string why) {
    if (text(config, "InstanceType").empty() && text(config, "SelectedInstanceType").empty())
      unknown(std::move(why));
  }

  // The first reason counts.
  void unknown(std::string why) {
    if (out_.machines_unknown.empty()) out_.machines_unknown = std::move(why);
  }

  static constexpr std::string_view kConfig = "ResourceConfig";
  static constexpr std::string_view kGroups = "ResourceConfig.InstanceGroups";
  static constexpr std::string_view kPreferences = "ResourceConfig.InstancePreferences";

  Value describe_;
  TrainingJob& out_;
};

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
  MachineReader(describe, out).read();
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

std::optional<std::string> why_checkpoint_unknown(const TrainingJob& job) {
  if (!job.checkpoint_uri.empty()) return std::nullopt;
  const auto config = job.raw.find_present("CheckpointConfig");
  if (config && !config->is_object()) return unexpected("CheckpointConfig", "an object", *config);
  if (const auto uri = config ? config->find_present("S3Uri") : std::nullopt;
      uri && !uri->is_string())
    return unexpected("CheckpointConfig.S3Uri", "a string", *uri);
  const auto paths = unknown_paths(job.raw, config ? "CheckpointConfig" : "");
  return paths.empty() ? std::nullopt : std::optional(not_known(paths));
}

std::optional<std::string> why_launcher_unknown(const TrainingJob& job) {
  if (!job.tuning_job_arn.empty() || !job.auto_ml_job_arn.empty() || !job.labeling_job_arn.empty())
    return std::nullopt;
  for (const std::string_view member : {"TuningJobArn", "AutoMLJobArn", "LabelingJobArn"})
    if (const auto found = job.raw.find_present(member); found && !found->is_string())
      return unexpected(member, "a string", *found);
  const auto paths = unknown_paths(job.raw, "");
  return paths.empty() ? std::nullopt : std::optional(not_known(paths));
}

std::vector<std::string> unknown_in(const TrainingJob& job) {
  std::vector<std::string> out;
  for (UnknownMember& unknown : unknown_members(job.raw)) out.push_back(std::move(unknown.path));
  return out;
}

TrainingJob with_selected(const TrainingJob& job, std::size_t index) {
  TrainingJob out = job;
  out.instances = {job.instances[index]};
  out.one_of = false;
  return out;
}

json::Document description_with(const TrainingJob& job, std::size_t index) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const json::Member member : job.raw.members()) {
      sink.key(member.name);
      if (member.name != "ResourceConfig") {
        sink.value(member.value);
        continue;
      }
      sink.begin_object();
      for (const json::Member inner : member.value.members()) {
        sink.key(inner.name);
        if (inner.name != "InstancePreferences") {
          sink.value(inner.value);
          continue;
        }
        sink.begin_array();
        std::size_t at = 0;
        for (const Value one : inner.value.elements())
          if (at++ == index) sink.value(one);
        sink.end_array();
      }
      sink.end_object();
    }
    sink.end_object();
  });
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
