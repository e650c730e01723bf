// The machines of a job that a watch looks at, and its threshold for one of them (policy.md W1,
// F4). Alarms and their confirmation must agree on this, so it is computed here only.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::rules {

struct AlarmHosts {
  // algo-1 … algo-<count>; 1 for a metric of the algorithm, which belongs to no machine.
  std::int64_t count = 1;
  // There are several machine types. AWS does not say which host has which type, so a host that
  // never had the metric may be of a type without it.
  bool heterogeneous = false;
  double threshold = 0;  // for one machine: per_gpu and per_core are already multiplied in
  int parts = 1;         // the GPUs or vCPUs of one machine that it is multiplied by
};

// The Reason says why that watch does not fit that job: GPU metrics on machines without GPUs;
// `first` if the machines differ; per_gpu or per_core on a type whose GPUs or vCPUs are unknown, if
// a low threshold would not fail safe; unknown machines.
std::expected<AlarmHosts, Reason> alarm_hosts(const Watch& watch, const TrainingJob& job);

// The dimension Host of the n-th machine, from 1: `<job>/algo-<n>`.
std::string host_name(std::string_view job, std::int64_t n);

// The namespace of instance and algorithm metrics alike.
// https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html
inline constexpr const char* kTrainingMetrics = "/aws/sagemaker/TrainingJobs";

}  // namespace trainwarden::rules
