// A tuner launches training jobs as parts of itself: a hyperparameter tuning job or an AutoML job.
// It starts more of them while it runs, so a rule may request to stop it instead of its children
// (policy.md A1). Its name cannot be taken from the ARN in a child's description, which SageMaker
// may write in lower case (https://github.com/boto/boto3/issues/4606).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

enum class TunerKind : std::uint8_t { kTuningJob, kAutoMlJob };

// "tuning job", "AutoML job"
std::string_view name(TunerKind kind);

// A tuner as its child's description names it.
struct TunerRef {
  TunerKind kind = TunerKind::kTuningJob;
  std::string arn = {};
};

// The AutoML job if there is one, since it may have launched the tuning job; nullopt if the job has
// neither.
std::optional<TunerRef> tuner_of(const TrainingJob& job);

// The part of the ARN after its last slash: the name, except that its case may differ.
std::string_view name_in(std::string_view arn);
bool is_same_arn(std::string_view a, std::string_view b);

struct Tuner {
  enum class State : std::uint8_t {
    kRuns,      // also if the status is unknown
    kStopping,  // which ends its children
    kStopped,
    kCompleted,
    kFailed,  // also if it is being deleted
  };

  TunerKind kind = TunerKind::kTuningJob;
  std::string name = {};
  std::string arn = {};
  std::string status = {};  // SageMaker's text, for people
  State state = State::kRuns;
  sys_millis created = {};
  std::optional<sys_seconds> changed = {};       // LastModifiedTime
  std::optional<std::int64_t> running = {};      // training jobs; not known of AutoML jobs
  std::optional<std::int64_t> definitions = {};  // of training jobs, if Describe has them

  bool has_ended() const { return state != State::kRuns && state != State::kStopping; }
};

// The tuners of one page of ListHyperParameterTuningJobs or ListAutoMLJobs. kBadResponse for an
// answer without the list, and for an entry without name, ARN, status or time of creation.
Result<std::vector<Tuner>> read_tuners(TunerKind kind, json::Value page);

// DescribeHyperParameterTuningJob's answer; kBadResponse as above.
Result<Tuner> read_tuning_job(json::Value describe);

}  // namespace trainwarden::rules
