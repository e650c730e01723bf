#include "handlers/rules/decide/fleet.h"

#include <algorithm>

#include "handlers/rules/failure/capacity.h"

namespace trainwarden::rules {
namespace {

std::set<std::string, std::less<>> types_of(const TrainingJob& job) {
  std::set<std::string, std::less<>> out;
  for (const Instances& some : job.instances) out.emplace(some.type);
  return out;
}

}  // namespace

FleetCount::FleetCount(std::string_view name, const TrainingJob& job, sys_seconds now)
    : name_(name), types_(types_of(job)), since_(now - kFleetWindow) {}

bool FleetCount::within(const std::optional<sys_seconds>& time) const {
  return time && *time >= since_;
}

void FleetCount::add(const TrainingJob& job) {
  if (job.name == name_) return;
  if (std::ranges::none_of(job.instances,
                           [this](const Instances& some) { return types_.contains(some.type); }))
    return;
  if (job.spot && job.secondary == SecondaryStatus::kMaxWaitTimeExceeded && within(job.ended()))
    ++spot_timeouts_;
  if (job.spot && job.transitions)
    for (const Transition& transition : *job.transitions)
      if (transition.status == SecondaryStatus::kInterrupted && within(transition.start))
        ++spot_interruptions_;
  if (within(job.ended()) && is_capacity_failure(job)) ++capacity_errors_;
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
