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

// How many parts one machine has, each of which the threshold counts for.
using PartsOf = int (*)(std::string_view type);

int vcpus_or_one(std::string_view type) { return vcpus_per_instance(type).value_or(1); }

// Of machines that differ, and have any, the fewest or the most: that with which a threshold is the
// harder to breach, since nobody tells which host is of which kind. 0 where none has any.
int parts_of_one(const std::vector<Instances>& all, PartsOf parts_of, bool fewest) {
  int out = 0;
  for (const Instances& some : all) {
    const int parts = parts_of(some.type);
    if (parts > 0 && (out == 0 || (fewest ? parts < out : parts > out))) out = parts;
  }
  return out;
}

}  // namespace

std::expected<AlarmHosts, Reason> alarm_hosts(const Watch& watch, const TrainingJob& job) {
  AlarmHosts out;
  out.threshold = watch.threshold;
  if (watch.source == Watch::Source::kAlgorithm) return out;
  // Which of its preferences AWS has selected is not told.
  if (job.one_of) return refuse(Why::kUnknownMachines);
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
  // A threshold that is too low makes such a watch silent, not eager.
  const bool low = less_is_breach(watch);
  const int gpus = parts_of_one(all, gpus_or_one, low);
  if (gpus == 0 && (watch.per_gpu || is_of_gpus(watch))) return refuse(Why::kNoGpu, watch.metric);
  if (watch.per_core) {
    const auto unknown = std::ranges::find_if(
        all, [](const Instances& some) { return !vcpus_per_instance(some.type); });
    if (unknown != all.end() && !low) return refuse(Why::kUnknownCores, std::string(unknown->type));
    out.parts = parts_of_one(all, vcpus_or_one, low);
    out.threshold = watch.threshold * out.parts;
    return out;
  }
  if (!watch.per_gpu) return out;
  const auto unknown = std::ranges::find_if(
      all, [](const Instances& some) { return !gpus_per_instance(some.type); });
  if (unknown != all.end() && !low) return refuse(Why::kUnknownGpus, std::string(unknown->type));
  out.parts = gpus;
  out.threshold = watch.threshold * out.parts;
  return out;
}

std::string host_name(std::string_view job, std::int64_t n) {
  return fmt::format("{}/algo-{}", job, n);
}

}  // namespace trainwarden::rules
