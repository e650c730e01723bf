// One alarm definition of a policy: which metric of a job to watch, and when it means trouble. Only
// the definition: what alarms it becomes depends on the job (W1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::int64_t kWarmupSeconds = 1800;  // the default

struct Watch {
  enum class Source : std::uint8_t { kInstance, kAlgorithm };
  enum class Comparison : std::uint8_t { kAtMost, kBelow, kAtLeast, kAbove };
  enum class Hosts : std::uint8_t { kEvery, kAny, kFirst, kMean };
  enum class Missing : std::uint8_t { kNotBreaching, kBreaching, kIgnore, kMissing };

  std::string name;
  std::string metric;
  Source source = Source::kInstance;
  std::string statistic;  // Average, Minimum, Maximum, Sum, SampleCount or p0 … p100
  std::int64_t period_seconds = 0;
  std::int64_t periods = 0;
  std::int64_t datapoints = 0;  // how many of the periods must breach
  Comparison comparison = Comparison::kAtMost;
  double threshold = 0;
  // W6: the threshold is that share of the median of the metric in the job's first hours, and the
  // comparison kBelow. Until of_past() (rules/alarms/job_past.h) has set both for a job, threshold
  // is not a number, so that nothing breaches it.
  std::optional<double> drop_to = {};
  std::optional<double> median = {};
  bool per_gpu = false;   // the threshold counts for each GPU of a machine
  bool per_core = false;  // or for each vCPU of it; never both
  Hosts hosts = Hosts::kEvery;
  Missing missing = Missing::kMissing;
  std::int64_t warmup_seconds = kWarmupSeconds;  // from the start of the current Training segment
  // How long a Training segment may take until its first datapoint. If absent, silence before the
  // first datapoint proves nothing.
  std::optional<std::int64_t> first_within_seconds = {};
};

constexpr bool less_is_breach(const Watch& watch) {
  return watch.comparison == Watch::Comparison::kAtMost ||
         watch.comparison == Watch::Comparison::kBelow;
}

// Whether a period's value is what its samples come to together. It grows while they arrive, and is
// not in the metric's own unit.
inline bool adds_up(const Watch& watch) {
  return watch.statistic == "Sum" || watch.statistic == "SampleCount";
}

// Whether the metric counts all GPUs of a machine together: GPUUtilization, GPUMemoryUtilization, …
inline bool is_of_gpus(const Watch& watch) { return watch.metric.starts_with("GPU"); }

// p0 … p99 with at most ten digits after the point, or p100.
bool is_percentile(std::string_view statistic);

// Whether the threshold is unknown until a job's own past is.
constexpr bool needs_past(const Watch& watch) { return watch.drop_to && !watch.median; }

// 1 to 63 characters of a-z, 0-9 and `-`, a letter first.
bool is_watch_name(std::string_view name);

// nullopt after reporting an error.
std::optional<Watch> read_watch(std::string_view name, json::Value definition, Reader& reader);

}  // namespace trainwarden::rules
