// A training job, read once from DescribeTrainingJob's answer or from a record of Search, which is
// such an answer with some members missing:
//
//   const TrainingJob job = read_training_job(answer.root());
//   if (job.status == JobStatus::kFailed && job.spot) …
//
// No other code reads members of that JSON, so that no two parts read it differently. A member that
// is missing, null or of another type is absent here: an empty text, nullopt or false. Points into
// the document, which must outlive it.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// kUnknown: missing, or a status that AWS added since; TrainingJob has its text.
enum class JobStatus : std::uint8_t {
  kUnknown,
  kInProgress,
  kCompleted,
  kFailed,
  kStopping,
  kStopped,
  kDeleting
};
JobStatus job_status(std::string_view text);
// Completed, Failed, Stopped or Deleting: whether a job has ended is read from TrainingJobStatus
// alone (F3).
bool is_terminal(JobStatus status);
bool is_terminal(std::string_view training_job_status);

// The documented statuses that this project depends on.
enum class SecondaryStatus : std::uint8_t {
  kOther,
  kDownloading,
  kTraining,
  kUploading,
  kInterrupted,
  kStopping,
  kStopped,
  kMaxRuntimeExceeded,
  kMaxWaitTimeExceeded
};
SecondaryStatus secondary_status(std::string_view text);
// Whether SageMaker ended the job at one of the job's own limits.
bool is_limit(SecondaryStatus status);
// Whether a job that was just created may have that status, which is either of the two.
bool has_just_begun(std::string_view status);
// Whether one job can have both statuses. More lenient than AWS's table of them: a job that is
// being stopped still uploads, and one that has completed may have been at its limit of time.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
bool go_together(std::string_view training_job_status, std::string_view secondary_status);

// WarmPoolStatus.Status; kOther: a status that AWS added since.
enum class PoolStatus : std::uint8_t { kNone, kOther, kAvailable, kTerminated, kReused, kInUse };

// Machines that are kept after the job's end, for matching jobs.
// https://docs.aws.amazon.com/sagemaker/latest/dg/train-warm-pools.html
struct WarmPool {
  PoolStatus status = PoolStatus::kNone;
  std::string_view status_text = {};
  std::optional<double> retained_seconds = {};  // ResourceRetainedBillableTimeInSeconds
  std::string_view reused_by = {};              // the job that took it over
};

// One of SecondaryStatusTransitions.
struct Transition {
  SecondaryStatus status = SecondaryStatus::kOther;
  std::optional<std::string_view> status_text = {};  // as it was told
  std::optional<sys_seconds> start = {};
  std::optional<sys_seconds> end = {};
  bool has_end = false;  // there is an EndTime, readable or not
};

struct Instances {
  std::string_view type;
  double count = 0;
};

struct TrainingJob {
  std::string_view name = {};
  std::string_view arn = {};

  JobStatus status = JobStatus::kUnknown;
  std::string_view status_text = {};  // TrainingJobStatus
  SecondaryStatus secondary = SecondaryStatus::kOther;
  std::string_view secondary_text = {};  // SecondaryStatus
  std::string_view failure_reason = {};

  std::optional<sys_seconds> created = {};
  std::optional<sys_millis> created_exactly = {};  // where CreationTime is a number of seconds
  std::optional<sys_seconds> training_start = {};
  std::optional<sys_seconds> training_end = {};
  std::optional<sys_seconds> last_modified = {};
  std::optional<double> training_seconds = {};  // TrainingTimeInSeconds
  std::optional<double> billable_seconds = {};
  std::optional<double> max_runtime_seconds = {};
  std::optional<double> max_wait_seconds = {};
  // In the order of the answer; nullopt if there is no list.
  std::optional<std::vector<Transition>> transitions = {};

  // One for each instance group, otherwise a single one, unless one_of; empty if the job has no
  // machines of its own (serverless), or if machines_unknown.
  std::vector<Instances> instances = {};
  // Its instances are its InstancePreferences, and AWS has not selected one of them yet.
  bool one_of = false;
  // Why the description does not tell its machines, for people; empty if it does. Serverless is
  // told by ServerlessJobConfig.
  std::string machines_unknown = {};
  bool has_resource_config = false;
  bool has_instance_groups = false;
  // Its InstancePreferences, also when one is selected: a copy may get any of them.
  std::vector<Instances> preferences = {};
  bool has_preferences = false;
  // The single type; empty if there are instance groups or preferences.
  std::string_view instance_type = {};
  bool in_training_plan = false;
  std::optional<double> keep_alive_seconds = {};  // ResourceConfig.KeepAlivePeriodInSeconds
  WarmPool warm_pool = {};
  bool spot = false;                     // EnableManagedSpotTraining
  std::string_view checkpoint_uri = {};  // CheckpointConfig.S3Uri
  std::string_view role_arn = {};
  std::string_view image = {};           // AlgorithmSpecification.TrainingImage
  std::string_view algorithm_name = {};  // AlgorithmSpecification.AlgorithmName

  // The parent that launched the job as a part of itself; empty if there is none.
  std::string_view tuning_job_arn = {};
  std::string_view auto_ml_job_arn = {};
  std::string_view labeling_job_arn = {};

  // The whole answer. Copies of the job carry members that are unknown here, and patterns match
  // them.
  json::Value raw;

  bool has_ended() const { return is_terminal(status); }
  // When it ended; nullopt while it has not. A job that never started has no TrainingEndTime.
  std::optional<sys_seconds> ended() const {
    if (!has_ended()) return std::nullopt;
    return training_end ? training_end : last_modified ? last_modified : created;
  }
};

TrainingJob read_training_job(json::Value describe);

// The jobs of one page of Search's Results.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_SearchRecord.html
std::vector<TrainingJob> read_search_page(json::Value results);

// kBadResponse for an answer without the members that every decision needs: it says nothing about
// the job.
Result<void> check_description(json::Value describe);

// Why the description may not tell its checkpoint, or what launched it: it holds members there that
// are not known. nullopt if what is known tells it, or if there is nothing else.
std::optional<std::string> why_checkpoint_unknown(const TrainingJob& job);
std::optional<std::string> why_launcher_unknown(const TrainingJob& job);

// The paths of the description's members that this version does not know (unknown_members.h).
std::vector<std::string> unknown_in(const TrainingJob& job);

// The job as it will be if AWS selects that one of its instances, of which it has one_of.
TrainingJob with_selected(const TrainingJob& job, std::size_t index);
// Its description with that one of its InstancePreferences alone.
json::Document description_with(const TrainingJob& job, std::size_t index);

// Whether the job's algorithm reports that metric, by its MetricDefinitions.
bool defines_metric(const TrainingJob& job, std::string_view metric);

// The values of its hyperparameters and environment variables, which must never be shown.
std::vector<std::string_view> secret_values(const TrainingJob& job);

// Whether the job has that hyperparameter or environment variable: "HyperParameters.lr".
bool has_setting(const TrainingJob& job, std::string_view path);

// One of MetricDefinitions: SageMaker reports what the expression finds in a line of the log.
struct MetricDefinition {
  std::string_view name;
  std::string_view expression;
};
std::vector<MetricDefinition> metric_definitions(const TrainingJob& job);

// The latest time of that metric in FinalMetricDataList. AWS documents the list for completed jobs
// only.
std::optional<sys_seconds> final_metric_time(const TrainingJob& job, std::string_view metric);

}  // namespace trainwarden::rules
