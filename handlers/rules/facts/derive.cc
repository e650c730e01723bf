#include "handlers/rules/facts/derive.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"

namespace trainwarden::rules {
namespace {

constexpr double kHour = 3600;

json::Value known_describe(const Derivation& from) {
  return *from.sources.known(Source::kDescribe);
}
json::Value tags(const Derivation& from) { return *from.sources.known(Source::kTags); }

void maybe(json::Sink& sink, std::string_view name, std::optional<double> number) {
  if (number) sink.member(name, *number);
}

void time(const Derivation& from, json::Sink& sink) {
  static constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed",
                                                            "thu", "fri", "sat"};
  using std::chrono::days;
  using std::chrono::floor;
  const auto day = floor<days>(from.now);
  const std::chrono::year_month_day date(day);
  const std::chrono::weekday weekday(day);
  sink.member("hour", floor<std::chrono::hours>(from.now - day).count());
  sink.member("weekday", kDays[weekday.c_encoding()]);
  sink.member("date", static_cast<int>(date.year()) * 10'000 +
                          static_cast<int>(static_cast<unsigned>(date.month())) * 100 +
                          static_cast<int>(static_cast<unsigned>(date.day())));
}

void alarm(const Derivation& from, json::Sink& sink) {
  const std::optional<AlarmEvent>& told = from.sources.event().alarm;
  if (!told) return;
  sink.member("watch", told->watch).member("state", told->state).member("name", told->name);
}

void resources(const Derivation& from, json::Sink& sink) {
  const json::Value job = known_describe(from);
  const std::vector<Instances> all = instances_of(job);
  double count = 0;
  double gpus = 0;
  bool neuron = false;
  for (const Instances& some : all) {
    count += some.count;
    gpus += some.count * gpus_per_instance(some.type);
    neuron = neuron || is_neuron(some.type);
  }
  const bool gpu = std::ranges::any_of(
      all, [](const Instances& some) { return gpus_per_instance(some.type) > 0; });
  sink.key("instance_types").begin_array();
  for (const Instances& some : all) sink.string(some.type);
  sink.end_array().key("gpus_per_instance").begin_array();
  for (const Instances& some : all) sink.integer(gpus_per_instance(some.type));
  sink.end_array();
  if (!all.empty()) {
    sink.member("instance_count", count).member("gpus", gpus);
    sink.member("accelerator", gpu ? "gpu" : neuron ? "neuron" : "none");
  }
  const auto spot = job.find_present("EnableManagedSpotTraining");
  sink.member("spot", spot && spot->is_boolean() && spot->as_boolean());
}

void runtime(const Derivation& from, json::Sink& sink) {
  const JobTimes times = job_times(known_describe(from), from.now);
  maybe(sink, "queued_seconds", times.queued_seconds);
  maybe(sink, "training_seconds", times.training_seconds);
  maybe(sink, "elapsed_seconds", times.elapsed_seconds);
  maybe(sink, "remaining_seconds", times.remaining_seconds);
}

void spot(const Derivation& from, json::Sink& sink) {
  const std::optional<SegmentTotals> found = segment_totals(known_describe(from), from.now);
  if (!found) return;
  sink.member("interruptions", found->interruptions);
  maybe(sink, "window_seconds", found->window_seconds);
  sink.member("training_seconds", found->training_seconds);
  const auto elapsed = job_times(known_describe(from), from.now).elapsed_seconds;
  if (!elapsed || *elapsed <= 0) return;
  sink.member("active_fraction", std::min(1.0, found->training_seconds / *elapsed));
}

void cost(const Derivation& from, json::Sink& sink) {
  const json::Value job = known_describe(from);
  const std::vector<Instances> all = instances_of(job);
  if (from.prices == nullptr || all.empty()) return;
  double per_hour = 0;
  for (const Instances& some : all) {
    const auto price = from.prices->find(some.type);
    if (price == from.prices->end()) return;
    per_hour += price->second * some.count;
  }
  const JobTimes times = job_times(job, from.now);
  sink.member("usd_per_hour", per_hour);
  sink.member("spent_usd", per_hour * paid_seconds(job, from.now) / kHour);
  sink.member("max_usd", per_hour * times.max_runtime_seconds / kHour);
}

void failure(const Derivation& from, json::Sink& sink) {
  const auto reason = string_of(known_describe(from), "FailureReason");
  if (!reason || reason->empty()) return;
  const std::string_view kind = failure_kind(*reason);
  if (!kind.empty()) sink.member("kind", kind);
  if (const auto code = exit_code(*reason)) sink.member("exit_code", *code);
}

void diagnosis(const Derivation& from, json::Sink& sink) {
  if (from.diagnosis == nullptr || from.diagnosis->label.empty()) return;
  sink.member("label", from.diagnosis->label).member("resume", from.diagnosis->resume);
  sink.member("evidence", from.diagnosis->evidence);
}

void lineage(const Derivation& from, json::Sink& sink) {
  const auto name = string_of(known_describe(from), "TrainingJobName");
  const Lineage line = lineage_of(tags(from), name.value_or(from.sources.event().job_name));
  if (line.generation) sink.member("generation", *line.generation);
  for (std::string_view member : {"root", "parent"}) {
    const std::string key = "trainwarden:" + std::string(member);
    if (const auto value = string_of(tags(from), key)) sink.member(member, *value);
  }
  sink.key("child_of").begin_array();
  const auto child_of = [&](std::string_view member, std::string_view parent) {
    const auto arn = string_of(known_describe(from), member);
    if (arn && !arn->empty()) sink.string(parent);
  };
  child_of("TuningJobArn", "tuning");
  child_of("AutoMLJobArn", "automl");
  child_of("LabelingJobArn", "labeling");
  // SageMaker Pipelines tags the jobs of its steps so.
  const auto pipeline = string_of(tags(from), "sagemaker:pipeline-execution-arn");
  if (pipeline && !pipeline->empty()) sink.string("pipeline");
  sink.end_array();
}

void fleet(const Derivation& from, json::Sink& sink) {
  for (const json::Member count : from.sources.known(Source::kFleet)->members())
    sink.member(count.name, count.value);
}

}  // namespace

void derive(Group group, const Derivation& from, json::Sink& sink) {
  sink.begin_object();
  switch (group) {
    case Group::kTime:
      time(from, sink);
      break;
    case Group::kAlarm:
      alarm(from, sink);
      break;
    case Group::kResources:
      resources(from, sink);
      break;
    case Group::kRuntime:
      runtime(from, sink);
      break;
    case Group::kSpot:
      spot(from, sink);
      break;
    case Group::kCost:
      cost(from, sink);
      break;
    case Group::kFailure:
      failure(from, sink);
      break;
    case Group::kDiagnosis:
      diagnosis(from, sink);
      break;
    case Group::kLineage:
      lineage(from, sink);
      break;
    case Group::kFleet:
      fleet(from, sink);
      break;
    case Group::kEvent:
    case Group::kJob:
    case Group::kTags:
      break;
  }
  sink.end_object();
}

}  // namespace trainwarden::rules
