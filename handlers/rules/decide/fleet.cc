#include "handlers/rules/decide/fleet.h"

#include <algorithm>

#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

std::set<std::string, std::less<>> types_of(json::Value job) {
  std::set<std::string, std::less<>> out;
  for (const Instances& some : instances_of(job)) out.emplace(some.type);
  return out;
}

// A job that never started has no TrainingEndTime.
std::optional<sys_seconds> end_of(json::Value job) {
  const auto end = time_of(job, "TrainingEndTime");
  return end ? end : time_of(job, "LastModifiedTime");
}

bool is_spot(json::Value job) {
  const auto spot = job.find_present("EnableManagedSpotTraining");
  return spot && spot->is_boolean() && spot->as_boolean();
}

}  // namespace

FleetCount::FleetCount(std::string_view name, json::Value describe, sys_seconds now)
    : name_(name), types_(types_of(describe)), since_(now - kFleetWindow) {}

bool FleetCount::within(const std::optional<sys_seconds>& time) const {
  return time && *time >= since_;
}

void FleetCount::add(json::Value job) {
  if (string_of(job, "TrainingJobName") == name_) return;
  const auto theirs = types_of(job);
  if (std::ranges::none_of(theirs, [this](const auto& type) { return types_.contains(type); }))
    return;
  if (is_spot(job)) {
    if (string_of(job, "SecondaryStatus") == "MaxWaitTimeExceeded" && within(end_of(job)))
      ++spot_timeouts_;
    if (const auto transitions = job.find_present("SecondaryStatusTransitions");
        transitions && transitions->is_array()) {
      for (const json::Value transition : transitions->elements())
        if (string_of(transition, "Status") == "Interrupted" &&
            within(time_of(transition, "StartTime")))
          ++spot_interruptions_;
    }
  }
  if (within(end_of(job)) && is_capacity_failure(job)) ++capacity_errors_;
}

json::Document FleetCount::document() const {
  return json::Document::build([this](json::Sink& sink) {
    sink.begin_object()
        .member("spot_timeouts_24h", spot_timeouts_)
        .member("spot_interruptions_24h", spot_interruptions_)
        .member("capacity_errors_24h", capacity_errors_)
        .end_object();
  });
}

}  // namespace trainwarden::rules
