#include "tests/localaws/sagemaker/job_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "tests/localaws/sagemaker/warm_pool.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {
namespace {

using json::Sink;
using json::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Unit : std::uint8_t { kSeconds, kMillis };

void write_time(Sink& out, std::string_view name, sys_millis t, Unit unit) {
  const auto count = t.time_since_epoch().count();
  if (unit == Unit::kMillis)
    out.member(name, count);
  else
    out.member(name, static_cast<double>(count) / 1000.0);
}

void write_transition(Sink& out, const StatusTransition& transition, Unit unit) {
  out.begin_object().member("Status", transition.status);
  write_time(out, "StartTime", transition.start, unit);
  if (transition.end) write_time(out, "EndTime", *transition.end, unit);
  out.member("StatusMessage", transition.message).end_object();
}

void write_transitions(Sink& out, const JobState& state, Unit unit) {
  out.key("SecondaryStatusTransitions").begin_array();
  for (const StatusTransition& transition : state.transitions)
    write_transition(out, transition, unit);
  out.end_array();
}

std::int64_t whole_seconds(sys_millis from, sys_millis to) {
  return std::chrono::duration_cast<seconds>(to - from).count();
}

// AWS adds an empty key id, and says that the metrics' time series is off.
void write_with_default(Sink& out, Value object, std::string_view name, const auto& write_default) {
  out.begin_object();
  for (const json::Member member : object.members()) out.member(member.name, member.value);
  if (!object.find(name)) {
    out.key(name);
    write_default(out);
  }
  out.end_object();
}

void write_given(Sink& out, std::string_view name, Value value) {
  out.key(name);
  if (name == "OutputDataConfig")
    write_with_default(out, value, "KmsKeyId", [](Sink& sink) { sink.string(""); });
  else if (name == "AlgorithmSpecification")
    write_with_default(out, value, "EnableSageMakerMetricsTimeSeries",
                       [](Sink& sink) { sink.boolean(false); });
  else
    out.value(value);
}

// What comes from the machine, or is not in Describe at all.
constexpr std::array<std::string_view, 15> kNotCopied = {
    "TrainingJobName",       "TrainingJobArn",
    "TrainingJobStatus",     "SecondaryStatus",
    "FailureReason",         "CreationTime",
    "LastModifiedTime",      "TrainingStartTime",
    "TrainingEndTime",       "SecondaryStatusTransitions",
    "TrainingTimeInSeconds", "BillableTimeInSeconds",
    "ModelArtifacts",        "Tags",
    "WarmPoolStatus"};

// What of a request is written with a default, or not at all.
constexpr std::array<std::string_view, 4> kNotCopiedOfRequest = {
    "StoppingCondition", "EnableNetworkIsolation", "EnableInterContainerTrafficEncryption",
    "SessionChainingConfig"};

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a placed job had a transition since.
bool has_moved(const Job& job) {
  const auto given = job.document.root().find_present("SecondaryStatusTransitions");
  return job.machine.state().transitions.size() != (given ? given->size() : 0);
}

// Whether Describe says what follows from the state. Of a placed job all that is known is what its
// document says, until it moves.
bool derives(const Job& job) { return !job.placed || has_moved(job); }

void write_flag(Sink& out, Value document, std::string_view name) {
  const auto given = document.find_present(name);
  out.member(name, given && given->is_boolean() && given->as_boolean());
}

void write_stopping_condition(Sink& out, Value document) {
  if (const auto given = document.find_present("StoppingCondition"))
    out.member("StoppingCondition", *given);
  else
    out.key("StoppingCondition").begin_object().member("MaxRuntimeInSeconds", 86400).end_object();
}

// A placed document's own figures win; else both are known once the job has ended.
void write_durations(Sink& out, const Job& job) {
  const JobState& state = job.machine.state();
  const Value document = job.document.root();
  for (const std::string_view name : {"TrainingTimeInSeconds", "BillableTimeInSeconds"}) {
    if (const auto given = document.find_present(name))
      out.member(name, *given);
    else if (derives(job) && ended(state.status) && state.training_start && state.training_end)
      out.member(name, whole_seconds(*state.training_start, *state.training_end));
  }
}

bool has_artifacts(const JobState& state) {
  return state.secondary == "Completed" || state.secondary == "MaxRuntimeExceeded" ||
         (state.secondary == "Stopped" && state.training_start);
}

void write_artifacts(Sink& out, const Job& job) {
  const Value document = job.document.root();
  if (const auto given = document.find_present("ModelArtifacts")) {
    out.member("ModelArtifacts", *given);
    return;
  }
  const auto output = document.find_present("OutputDataConfig");
  const auto path = output ? output->find_present("S3OutputPath") : std::nullopt;
  if (!derives(job) || !has_artifacts(job.machine.state()) || !path || !path->is_string()) return;
  std::string_view base = path->as_string();
  if (base.ends_with('/')) base.remove_suffix(1);
  out.key("ModelArtifacts").begin_object();
  out.member("S3ModelArtifacts", fmt::format("{}/{}/output/model.tar.gz", base, job.name));
  out.end_object();
}

void write_member_or_null(Sink& out, Value document, std::string_view name) {
  if (const auto given = document.find_present(name))
    write_given(out, name, *given);
  else
    out.key(name).null();
}

void write_time_or_null(Sink& out, std::string_view name, std::optional<sys_millis> t) {
  if (t)
    write_time(out, name, *t, Unit::kMillis);
  else
    out.key(name).null();
}

void write_detail(Sink& out, const Job& job) {
  const JobState& state = job.machine.state();
  const Value document = job.document.root();
  out.begin_object();
  out.member("TrainingJobName", job.name).member("TrainingJobArn", job.arn);
  for (const std::string_view name : {"TuningJobArn", "LabelingJobArn", "AutoMLJobArn"})
    write_member_or_null(out, document, name);
  if (has_artifacts(state))
    write_artifacts(out, job);
  else
    out.key("ModelArtifacts").null();
  out.member("TrainingJobStatus", state.status).member("SecondaryStatus", state.secondary);
  if (state.failure_reason.empty())
    out.key("FailureReason").null();
  else
    out.member("FailureReason", state.failure_reason);
  for (const std::string_view name :
       {"HyperParameters", "AlgorithmSpecification", "RoleArn", "InputDataConfig",
        "OutputDataConfig", "ResourceConfig", "VpcConfig"})
    write_member_or_null(out, document, name);
  write_stopping_condition(out, document);
  write_time(out, "CreationTime", state.created, Unit::kMillis);
  write_time_or_null(out, "TrainingStartTime", state.training_start);
  write_time_or_null(out, "TrainingEndTime", state.training_end);
  write_time(out, "LastModifiedTime", state.last_modified, Unit::kMillis);
  write_transitions(out, state, Unit::kMillis);
  for (const std::string_view name :
       {"EnableNetworkIsolation", "EnableInterContainerTrafficEncryption",
        "EnableManagedSpotTraining"})
    write_flag(out, document, name);
  out.key("Tags").begin_object();
  for (const auto& [key, value] : job.tags) out.member(key, value);
  out.end_object();
  if (const auto given = document.find_present("CheckpointConfig"))
    out.member("CheckpointConfig", *given);
  write_durations(out, job);
  out.end_object();
}

// A time that a placed document gives: epoch seconds as they are.
void write_given_time(Sink& out, std::string_view name, Value given) {
  const auto instant = instant_from(given, name);  // was read when the job was placed
  if (is_epoch_seconds(given) || !instant)
    out.member(name, given);
  else
    write_time(out, name, *instant, Unit::kSeconds);
}

// One of the transitions that were placed; a later one may have set its end.
void write_placed_transition(Sink& out, Value given, const StatusTransition& transition) {
  out.begin_object();
  for (const json::Member member : given.members()) {
    if (member.value.is_null()) continue;
    if (member.name == "StartTime" || member.name == "EndTime")
      write_given_time(out, member.name, member.value);
    else
      out.member(member.name, member.value);
  }
  if (transition.end && !given.find_present("EndTime"))
    write_time(out, "EndTime", *transition.end, Unit::kSeconds);
  out.end_object();
}

void write_placed_transitions(Sink& out, const Job& job) {
  const auto given = job.document.root().find_present("SecondaryStatusTransitions");
  if (!given) {
    if (has_moved(job)) write_transitions(out, job.machine.state(), Unit::kSeconds);
    return;
  }
  auto transition = job.machine.state().transitions.begin();
  out.key("SecondaryStatusTransitions").begin_array();
  for (const Value element : given->elements())
    write_placed_transition(out, element, *transition++);
  for (; transition != job.machine.state().transitions.end(); ++transition)
    write_transition(out, *transition, Unit::kSeconds);
  out.end_array();
}

// Once there are machines: those of the first preference, as if it always had capacity.
void write_selected(Sink& out, const Job& job, Value resources) {
  const auto list = resources.find_present("InstancePreferences");
  if (job.placed || !list || list->size() == 0 || !job.machine.state().training_start) return;
  const Value first = *list->elements().begin();
  auto count = first.find_present("InstanceCount");
  if (!count) count = resources.find_present("InstanceCount");
  out.member("SelectedInstanceType", *first.find_present("InstanceType"));
  if (count) out.member("SelectedInstanceCount", *count);
}

// One of the job's own members, as it was updated.
void write_member_of(Sink& out, const Job& job, const json::Member& member) {
  const bool selects = member.name == "ResourceConfig" &&
                       member.value.find_present("InstancePreferences").has_value() && !job.placed;
  if (member.name != "ResourceConfig" || (!job.keep_alive && !selects)) {
    if (job.placed)
      out.member(member.name, member.value);
    else
      write_given(out, member.name, member.value);
    return;
  }
  out.key(member.name).begin_object();
  for (const json::Member inner : member.value.members())
    if (inner.name != "KeepAlivePeriodInSeconds" || !job.keep_alive)
      out.member(inner.name, inner.value);
  if (job.keep_alive) out.member("KeepAlivePeriodInSeconds", *job.keep_alive);
  write_selected(out, job, member.value);
  out.end_object();
}

// The document as it was placed, and over it what happened to the job since. The machine sets the
// start and the end of the training only where they are not known.
void write_placed(Sink& out, const Job& job) {
  const JobState& state = job.machine.state();
  const Value document = job.document.root();
  const auto write_time_of = [&](std::string_view name, std::optional<sys_millis> otherwise) {
    if (const auto given = document.find_present(name))
      write_given_time(out, name, *given);
    else if (otherwise)
      write_time(out, name, *otherwise, Unit::kSeconds);
  };
  out.begin_object();
  out.member("TrainingJobName", job.name).member("TrainingJobArn", job.arn);
  out.member("TrainingJobStatus", state.status).member("SecondaryStatus", state.secondary);
  if (!state.failure_reason.empty() || document.find_present("FailureReason"))
    out.member("FailureReason", state.failure_reason);
  write_time_of("CreationTime", state.created);
  if (has_moved(job))
    write_time(out, "LastModifiedTime", state.last_modified, Unit::kSeconds);
  else
    write_time_of("LastModifiedTime", std::nullopt);
  write_time_of("TrainingStartTime", state.training_start);
  write_time_of("TrainingEndTime", state.training_end);
  write_placed_transitions(out, job);
  write_artifacts(out, job);
  write_durations(out, job);
  for (const json::Member member : document.members())
    if (!member.value.is_null() && !is_in(kNotCopied, member.name))
      write_member_of(out, job, member);
  write_pool(out, job);
  out.end_object();
}

}  // namespace

void write_description(Sink& out, const Job& job) {
  if (job.placed) {
    write_placed(out, job);
    return;
  }
  const JobState& state = job.machine.state();
  const Value document = job.document.root();
  out.begin_object();
  out.member("TrainingJobName", job.name).member("TrainingJobArn", job.arn);
  out.member("TrainingJobStatus", state.status).member("SecondaryStatus", state.secondary);
  if (!state.failure_reason.empty()) out.member("FailureReason", state.failure_reason);
  write_artifacts(out, job);
  write_stopping_condition(out, document);
  write_time(out, "CreationTime", state.created, Unit::kSeconds);
  write_time(out, "LastModifiedTime", state.last_modified, Unit::kSeconds);
  if (state.training_start)
    write_time(out, "TrainingStartTime", *state.training_start, Unit::kSeconds);
  if (state.training_end) write_time(out, "TrainingEndTime", *state.training_end, Unit::kSeconds);
  write_transitions(out, state, Unit::kSeconds);
  write_durations(out, job);
  write_flag(out, document, "EnableNetworkIsolation");
  write_flag(out, document, "EnableInterContainerTrafficEncryption");
  if (!document.find_present("EnableManagedSpotTraining"))
    out.member("EnableManagedSpotTraining", false);
  for (const json::Member member : document.members())
    if (!member.value.is_null() && !is_in(kNotCopied, member.name) &&
        !is_in(kNotCopiedOfRequest, member.name))
      write_member_of(out, job, member);
  write_pool(out, job);
  out.end_object();
}

void write_summary(Sink& out, const Job& job) {
  const JobState& state = job.machine.state();
  out.begin_object();
  out.member("TrainingJobName", job.name).member("TrainingJobArn", job.arn);
  write_time(out, "CreationTime", state.created, Unit::kSeconds);
  write_time(out, "LastModifiedTime", state.last_modified, Unit::kSeconds);
  if (state.training_end) write_time(out, "TrainingEndTime", *state.training_end, Unit::kSeconds);
  out.member("TrainingJobStatus", state.status).member("SecondaryStatus", state.secondary);
  const Value document = job.document.root();
  write_pool(out, job);
  const auto resources = document.find_present("ResourceConfig");
  if (const auto plan = resources ? resources->find_present("TrainingPlanArn") : std::nullopt)
    out.member("TrainingPlanArn", *plan);
  out.end_object();
}

std::string state_change_event(const Job& job, std::string_view region, std::string_view account) {
  const auto at = std::chrono::floor<seconds>(job.machine.state().last_modified);
  json::Writer out;
  out.begin_object();
  out.member("version", "0").member("id", random_uuid());
  out.member("detail-type", "SageMaker Training Job State Change");
  out.member("source", "aws.sagemaker").member("account", account).member("time", rfc3339(at));
  out.member("region", region);
  out.key("resources").begin_array().string(job.arn).end_array();
  out.key("detail");
  write_detail(out, job);
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
