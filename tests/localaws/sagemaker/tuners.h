// What launches training jobs: hyperparameter tuning jobs, as boto3 creates, describes, lists and
// stops them, and AutoML jobs, which are placed, listed and stopped. Their children are training
// jobs like any others, which belong to SageMaker (sagemaker.h); here is what is known of the
// tuners themselves. As AWS does it, a list and a child tell the ARN in lower case, Describe as it
// is (https://github.com/boto/boto3/issues/4606), and a page is taken first and filtered
// afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

enum class TunerType : std::uint8_t { kTuningJob, kAutoMlJob };

struct Tuner {
  TunerType type;
  std::string name;
  std::string arn;
  std::string status;
  sys_millis created;
  sys_millis changed;
  json::Document document;  // the request, or what was placed
  Tags tags;
  std::int64_t launched = 0;
  bool placed = false;  // launches nothing by itself

  // How a child tells of it.
  std::string arn_of_child() const;
};

// Counts of the children, by TrainingJobStatusCounters' members.
using TunerCounters = std::map<std::string, std::int64_t>;

// Whether the job is that tuner's child.
bool is_child(const Job& job, const Tuner& tuner);
TunerCounters count_children(const std::map<std::string, Job, std::less<>>& jobs,
                             const Tuner& tuner);

// CreateHyperParameterTuningJob, beyond its shape: one definition or several, never both.
Answer<void> check_tuning_request(json::Value input);
// "MaxParallelTrainingJobs" and "MaxNumberOfTrainingJobs".
std::int64_t tuning_limit(const Tuner& tuner, std::string_view member);
// The next child's CreateTrainingJob request, TuningJobArn beside it, by the definitions in turn.
std::string child_request(const Tuner& tuner, std::string_view name);
std::string child_name(const Tuner& tuner);

// DescribeHyperParameterTuningJob's answer.
std::string describe_tuner(const Tuner& tuner, const TunerCounters& counters);
// ListHyperParameterTuningJobs, ListAutoMLJobs. NameContains minds the case.
Answer<std::string> list_tuners(const std::vector<std::pair<const Tuner*, TunerCounters>>& tuners,
                                TunerType type, json::Value input);
// StopHyperParameterTuningJob, StopAutoMLJob. AWS's words for one that does not run are known of
// training jobs only.
Answer<void> check_stop(const Tuner& tuner);

}  // namespace trainwarden::localaws
