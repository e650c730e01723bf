// What launches training jobs as parts of itself: a hyperparameter tuning job, or an AutoML job. It
// starts more of them while it runs, so a rule may ask to stop it instead of its children
// (policy.md A1). Its name is not the end of the ARN that a child tells: SageMaker may write that
// in lower case (https://github.com/boto/boto3/issues/4606).
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

// As a child tells of it.
struct TunerRef {
  TunerKind kind = TunerKind::kTuningJob;
  std::string arn = {};
};

// The AutoML job before the tuning job, which the AutoML job may have launched; nullopt where the
// job is nobody's child.
std::optional<TunerRef> tuner_of(const TrainingJob& job);

// The part of the ARN after its last slash: the name, but for the case of its letters.
std::string_view name_in(std::string_view arn);
bool is_same_arn(std::string_view a, std::string_view b);

struct Tuner {
  enum class State : std::uint8_t {
    kRuns,      // also where the status is unknown
    kStopping,  // which ends its children
    kEnded,
  };

  TunerKind kind = TunerKind::kTuningJob;
  std::string name = {};
  std::string arn = {};
  std::string status = {};  // as SageMaker has it
  State state = State::kRuns;
  sys_millis created = {};
  std::optional<sys_seconds> changed = {};       // LastModifiedTime
  std::optional<std::int64_t> running = {};      // training jobs; of an AutoML job nobody tells
  std::optional<std::int64_t> definitions = {};  // of training jobs, where Describe told them
};

// Those of one page of ListHyperParameterTuningJobs or ListAutoMLJobs. kBadResponse for an answer
// without the list, and for an entry without name, ARN, status or time of creation.
Result<std::vector<Tuner>> read_tuners(TunerKind kind, json::Value page);

// DescribeHyperParameterTuningJob's answer; kBadResponse as above.
Result<Tuner> read_tuning_job(json::Value describe);

}  // namespace trainwarden::rules
