#include "handlers/rules/facts/derive.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/until.h"
#include "handlers/rules/failure/failure_reason.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_cost.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"

namespace trainwarden::rules {
namespace {

const TrainingJob& job(const Derivation& from) { return *from.job; }
const JobTags& tags(const Derivation& from) { return *from.sources.tags(); }

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

void machines(const Derivation& from, json::Sink& sink) {
  const std::vector<Instances>& all = job(from).instances;
  sink.key("instance_types").begin_array();
  for (const Instances& some : all) sink.string(some.type);
  sink.end_array();
  if (!all.empty())
    sink.member("instance_count",
                at_most(job(from), [](const Instances& some) { return some.count; }));
}

void gpus(const Derivation& from, json::Sink& sink) {
  const std::vector<Instances>& all = job(from).instances;
  const auto each = [](const Instances& some) { return gpus_per_instance(some.type).value_or(0); };
  sink.key("gpus_per_instance").begin_array();
  for (const Instances& some : all) sink.integer(each(some));
  sink.end_array();
  if (!all.empty())
    sink.member("gpus",
                at_most(job(from), [&](const Instances& some) { return some.count * each(some); }));
}

void resources(const Derivation& from, json::Sink& sink) {
  sink.member("spot", job(from).spot);
  sink.key("unknown_members").begin_array();
  for (const std::string& path : unknown_in(job(from))) sink.string(path);
  sink.end_array();
}

void runtime(const Derivation& from, json::Sink& sink) {
  const JobTimes times = job_times(job(from), from.now);
  maybe(sink, "queued_seconds", times.queued_seconds);
  maybe(sink, "training_seconds", times.training_seconds);
  maybe(sink, "elapsed_seconds", times.elapsed_seconds);
  maybe(sink, "remaining_seconds", times.remaining_seconds);
  maybe(sink, "stopping_seconds", times.stopping_seconds);
}

void spot(const Derivation& from, json::Sink& sink) {
  maybe(sink, "saved_fraction", spot_saved_fraction(job(from)));
  const std::optional<SegmentTotals> found = segment_totals(job(from), from.now);
  if (!found) return;
  sink.member("interruptions", found->interruptions);
  maybe(sink, "interruptions_6h", found->interruptions_6h);
  maybe(sink, "interruptions_24h", found->interruptions_24h);
  maybe(sink, "window_seconds", found->window_seconds);
  sink.member("training_seconds", found->training_seconds);
  const auto elapsed = job_times(job(from), from.now).elapsed_seconds;
  if (!elapsed || *elapsed <= 0) return;
  sink.member("active_fraction", std::min(1.0, found->training_seconds / *elapsed));
}

void cost(const Derivation& from, json::Sink& sink) {
  const auto cost = from.prices != nullptr ? cost_of(job(from), *from.prices, from.now)
                                           : std::optional<JobCost>();
  if (!cost) return;
  sink.member("usd_per_hour", cost->usd_per_hour);
  sink.member("spent_usd", cost->spent_usd);
  sink.member("max_usd", cost->max_usd);
}

void warm_pool(const Derivation& from, json::Sink& sink) {
  const auto times = pool_times(job(from), from.now);
  if (!times) return;
  sink.member("idle_seconds", times->idle_seconds);
  maybe(sink, "remaining_seconds", times->remaining_seconds);
}

void pool_cost(const Derivation& from, json::Sink& sink) {
  constexpr double kHour = 3600;
  const auto times = pool_times(job(from), from.now);
  if (!times || !times->remaining_seconds) return;
  const auto cost = from.prices != nullptr ? cost_of(job(from), *from.prices, from.now)
                                           : std::optional<JobCost>();
  if (cost) sink.member("remaining_usd", cost->usd_per_hour * *times->remaining_seconds / kHour);
}

void failure(const Derivation& from, json::Sink& sink) {
  const std::string_view reason = job(from).failure_reason;
  if (reason.empty()) return;
  const std::string_view kind = failure_kind(reason);
  if (!kind.empty()) sink.member("kind", kind);
  if (const auto code = exit_code(reason)) sink.member("exit_code", *code);
}

void diagnosis(const Derivation& from, json::Sink& sink) {
  if (from.diagnosis == nullptr) return;
  sink.member("label", name(from.diagnosis->label)).member("resume", name(from.diagnosis->resume));
  sink.member("evidence", from.diagnosis->evidence);
}

void lineage(const Derivation& from, json::Sink& sink) {
  const std::string_view told = job(from).name;
  const std::string_view name = told.empty() ? from.sources.event().job_name : told;
  if (const auto generation = lineage_of(tags(from), name).generation)
    sink.member("generation", *generation);
  if (const auto root = tags(from).root) sink.member("root", *root);
  if (const auto parent = tags(from).parent) sink.member("parent", *parent);
}

void launcher(const Derivation& from, json::Sink& sink) {
  sink.key("child_of").begin_array();
  if (!job(from).tuning_job_arn.empty()) sink.string("tuning");
  if (!job(from).auto_ml_job_arn.empty()) sink.string("automl");
  if (!job(from).labeling_job_arn.empty()) sink.string("labeling");
  if (is_pipeline_step(tags(from))) sink.string("pipeline");
  if (is_state_machine_task(tags(from))) sink.string("step-functions");
  sink.end_array();
}

// The source already has the group's members.
void as_known(Source source, const Derivation& from, json::Sink& sink) {
  const auto known = from.sources.known(source);
  if (!known) return;
  for (const json::Member fact : known->members()) sink.member(fact.name, fact.value);
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
    case Group::kMachines:
      machines(from, sink);
      break;
    case Group::kGpus:
      gpus(from, sink);
      break;
    case Group::kAccelerator:
      if (const auto kind = accelerator_of(job(from))) sink.member("accelerator", *kind);
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
    case Group::kWarmPool:
      warm_pool(from, sink);
      break;
    case Group::kPoolCost:
      pool_cost(from, sink);
      break;
    case Group::kFailure:
      failure(from, sink);
      break;
    case Group::kDiagnosis:
      diagnosis(from, sink);
      break;
    case Group::kUntil:
      write_until(*from.sources.known(Source::kTags), from.now, sink);
      break;
    case Group::kLineage:
      lineage(from, sink);
      break;
    case Group::kLauncher:
      launcher(from, sink);
      break;
    case Group::kFleet:
      as_known(Source::kFleet, from, sink);
      break;
    case Group::kLogs:
      as_known(Source::kSilence, from, sink);
      break;
    case Group::kCheckpoint:
      as_known(Source::kCheckpoint, from, sink);
      break;
    case Group::kEvent:
    case Group::kJob:
    case Group::kTags:
      break;
  }
  sink.end_object();
}

}  // namespace trainwarden::rules
