#include "tests/localaws/sagemaker/tuners.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tests/localaws/http/http_message.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Sink;
using json::Value;

constexpr std::int64_t kTunersPerPage = 10;
constexpr std::array<std::string_view, 5> kCounters = {"Completed", "InProgress", "RetryableError",
                                                       "NonRetryableError", "Stopped"};
// Of a definition, what a training job's request has under the same name.
constexpr std::array<std::string_view, 12> kOfDefinition = {"RoleArn",
                                                            "InputDataConfig",
                                                            "VpcConfig",
                                                            "OutputDataConfig",
                                                            "ResourceConfig",
                                                            "StoppingCondition",
                                                            "EnableNetworkIsolation",
                                                            "EnableInterContainerTrafficEncryption",
                                                            "EnableManagedSpotTraining",
                                                            "CheckpointConfig",
                                                            "RetryStrategy",
                                                            "Environment"};

void write_tuner_time(Sink& out, std::string_view name, sys_millis t) {
  out.member(name, static_cast<double>(t.time_since_epoch().count()) / 1000);
}

void write_counters(Sink& out, const TunerCounters& counters) {
  out.key("TrainingJobStatusCounters").begin_object();
  for (const std::string_view name : kCounters) {
    const auto found = counters.find(std::string(name));
    out.member(name, found == counters.end() ? std::int64_t{0} : found->second);
  }
  out.end_object();
  out.key("ObjectiveStatusCounters").begin_object();
  out.member("Succeeded", 0).member("Pending", 0).member("Failed", 0).end_object();
}

void write_tuner_summary(Sink& out, const Tuner& tuner, const TunerCounters& counters) {
  const bool auto_ml = tuner.type == TunerType::kAutoMlJob;
  const std::string_view kind = auto_ml ? "AutoMLJob" : "HyperParameterTuningJob";
  out.begin_object();
  out.member(fmt::format("{}Name", kind), tuner.name);
  out.member(fmt::format("{}Arn", kind), tuner.arn_of_child());
  out.member(fmt::format("{}Status", kind), tuner.status);
  write_tuner_time(out, "CreationTime", tuner.created);
  write_tuner_time(out, "LastModifiedTime", tuner.changed);
  if (auto_ml) {
    out.member("AutoMLJobSecondaryStatus",
               tuner.status == "InProgress" ? "TrainingModels" : tuner.status);
  } else {
    out.member("Strategy", "Bayesian");
    write_counters(out, counters);
  }
  out.end_object();
}

bool is_listed(const Tuner& tuner, Value input) {
  return tuner.name.find(input::text(input, "NameContains")) != std::string::npos &&
         input::text(input, "StatusEquals", tuner.status) == tuner.status;
}

Value definition_of(const Tuner& tuner) {
  const Value document = tuner.document.root();
  const auto several = document.find_present("TrainingJobDefinitions");
  if (!several || several->size() == 0) return *document.find_present("TrainingJobDefinition");
  auto at = several->elements().begin();
  for (std::int64_t i = tuner.launched % static_cast<std::int64_t>(several->size()); i > 0; --i)
    ++at;
  return *at;
}

}  // namespace

std::string Tuner::arn_of_child() const { return lower(arn); }

bool is_child(const Job& job, const Tuner& tuner) {
  const std::string_view member =
      tuner.type == TunerType::kAutoMlJob ? "AutoMLJobArn" : "TuningJobArn";
  return lower(input::text(job.document.root(), member)) == tuner.arn_of_child();
}

TunerCounters count_children(const std::map<std::string, Job, std::less<>>& jobs,
                             const Tuner& tuner) {
  TunerCounters out;
  for (const auto& [name, job] : jobs) {
    if (!is_child(job, tuner)) continue;
    const std::string& status = job.machine.state().status;
    if (status == "Completed" || status == "Stopped")
      ++out[status];
    else if (status == "Failed")
      ++out["NonRetryableError"];
    else
      ++out["InProgress"];
  }
  return out;
}

Answer<void> check_tuning_request(Value input) {
  const bool one = input::has(input, "TrainingJobDefinition");
  const bool several = input::has(input, "TrainingJobDefinitions");
  if (one == several)
    return invalid("Exactly one of TrainingJobDefinition and TrainingJobDefinitions is required.");
  return {};
}

std::int64_t tuning_limit(const Tuner& tuner, std::string_view member) {
  const auto config = tuner.document.root().find_present("HyperParameterTuningJobConfig");
  const auto limits = config ? config->find_present("ResourceLimits") : std::nullopt;
  return limits ? input::integer(*limits, member, 1) : 1;
}

std::string child_name(const Tuner& tuner) {
  return fmt::format("{}-{:03}-{}", tuner.name, tuner.launched + 1, random_uuid().substr(0, 8));
}

std::string child_request(const Tuner& tuner, std::string_view name) {
  const Value definition = definition_of(tuner);
  json::Writer out;
  out.begin_object().member("TrainingJobName", name);
  out.member("TuningJobArn", tuner.arn_of_child());
  if (const auto algorithm = definition.find_present("AlgorithmSpecification"))
    out.member("AlgorithmSpecification", *algorithm);
  if (const auto fixed = definition.find_present("StaticHyperParameters"))
    out.member("HyperParameters", *fixed);
  for (const std::string_view member : kOfDefinition)
    if (const auto given = definition.find_present(member)) out.member(member, *given);
  out.end_object();
  return out.take();
}

std::string describe_tuner(const Tuner& tuner, const TunerCounters& counters) {
  json::Writer out;
  out.begin_object();
  out.member("HyperParameterTuningJobName", tuner.name);
  out.member("HyperParameterTuningJobArn", tuner.arn);
  out.member("HyperParameterTuningJobStatus", tuner.status);
  write_tuner_time(out, "CreationTime", tuner.created);
  write_tuner_time(out, "LastModifiedTime", tuner.changed);
  if (tuner.status != "InProgress" && tuner.status != "Stopping")
    write_tuner_time(out, "HyperParameterTuningEndTime", tuner.changed);
  write_counters(out, counters);
  for (const std::string_view member : {"HyperParameterTuningJobConfig", "TrainingJobDefinition",
                                        "TrainingJobDefinitions", "WarmStartConfig"})
    if (const auto given = tuner.document.root().find_present(member)) out.member(member, *given);
  out.end_object();
  return out.take();
}

Answer<std::string> list_tuners(const std::vector<std::pair<const Tuner*, TunerCounters>>& tuners,
                                TunerType type, Value input) {
  std::vector<std::pair<const Tuner*, TunerCounters>> sorted;
  for (const auto& one : tuners)
    if (one.first->type == type) sorted.push_back(one);
  std::ranges::sort(sorted, {},
                    [](const auto& one) { return std::pair(one.first->created, one.first->name); });
  std::size_t begin = 0;
  if (const std::string_view token = input::text(input, "NextToken"); !token.empty()) {
    const auto last = unhex(token);
    const auto found = std::ranges::find(sorted, last.value_or(""),
                                         [](const auto& one) { return one.first->name; });
    if (found == sorted.end()) return invalid("Invalid NextToken");
    begin = static_cast<std::size_t>(found - sorted.begin()) + 1;
  }
  const auto size = static_cast<std::size_t>(input::integer(input, "MaxResults", kTunersPerPage));
  const std::size_t end = std::min(sorted.size(), begin + size);
  json::Writer out;
  out.begin_object();
  out.key(type == TunerType::kAutoMlJob ? "AutoMLJobSummaries"
                                        : "HyperParameterTuningJobSummaries");
  out.begin_array();
  for (std::size_t i = begin; i < end; ++i)
    if (is_listed(*sorted[i].first, input))
      write_tuner_summary(out, *sorted[i].first, sorted[i].second);
  out.end_array();
  if (end < sorted.size()) out.member("NextToken", hex(sorted[end - 1].first->name));
  out.end_object();
  return out.take();
}

Answer<void> check_stop(const Tuner& tuner) {
  if (tuner.status == "InProgress") return {};
  return invalid(fmt::format(
      "The request was rejected because the {} job is in status {}.",
      tuner.type == TunerType::kAutoMlJob ? "AutoML" : "hyperparameter tuning", tuner.status));
}

}  // namespace trainwarden::localaws
