#include "handlers/rules/alarms/alarm_hosts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "handlers/rules/job/instances.h"

namespace trainwarden::rules {
namespace {

std::unexpected<Reason> refuse(Why why, std::string name = {}) {
  return std::unexpected(Reason{.why = why, .name = std::move(name)});
}

// A threshold that is too low makes such a watch silent, not eager.
bool low_is_safe(const Watch& watch) {
  return watch.comparison == Watch::Comparison::kAtMost ||
         watch.comparison == Watch::Comparison::kBelow;
}

// The smallest GPU count among the machines that have any; 0 where none has.
int fewest_gpus(const std::vector<Instances>& all) {
  int fewest = 0;
  for (const Instances& some : all) {
    const int gpus = gpus_per_instance(some.type);
    if (gpus > 0 && (fewest == 0 || gpus < fewest)) fewest = gpus;
  }
  return fewest;
}

}  // namespace

std::expected<AlarmHosts, Reason> alarm_hosts(const Watch& watch, const TrainingJob& job) {
  AlarmHosts out;
  out.threshold = watch.threshold;
  if (watch.source == Watch::Source::kAlgorithm) return out;
  std::vector<Instances> all = job.instances;
  double count = 0;
  for (const Instances& some : all) {
    // A type whose count is missing leaves the number of hosts unknown.
    if (!(some.count >= 0) || some.count != std::floor(some.count)) count = NAN;
    count += some.count;
  }
  constexpr double kMost = 1e6;
  if (!(count >= 1) || count > kMost) return refuse(Why::kUnknownMachines);
  std::erase_if(all, [](const Instances& some) { return some.count == 0; });
  out.count = static_cast<std::int64_t>(count);
  out.heterogeneous = std::ranges::any_of(
      all, [&](const Instances& some) { return some.type != all.front().type; });
  if (watch.hosts == Watch::Hosts::kFirst) {
    if (out.heterogeneous) return refuse(Why::kDifferentMachines);
    out.count = 1;
  }
  const int gpus = fewest_gpus(all);
  if (gpus == 0 && (watch.per_gpu || watch.metric.starts_with("GPU")))
    return refuse(Why::kNoGpu, watch.metric);
  if (!watch.per_gpu) return out;
  const auto unlisted =
      std::ranges::find_if(all, [](const Instances& some) { return is_unlisted_gpu(some.type); });
  if (unlisted != all.end() && !low_is_safe(watch))
    return refuse(Why::kUnknownGpus, std::string(unlisted->type));
  out.threshold = watch.threshold * gpus;
  return out;
}

std::string host_name(std::string_view job, std::int64_t n) {
  return fmt::format("{}/algo-{}", job, n);
}

}  // namespace trainwarden::rules
