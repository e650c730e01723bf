// One query of a GetMetricData call, for a metric of training jobs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

struct MetricOfJob {
  std::string_view name;
  std::string_view dimension;  // Host or TrainingJobName
  std::string value;
};

void ask_metric(json::Sink& sink, const std::string& id, const MetricOfJob& metric,
                std::int64_t period, std::string_view statistic);

}  // namespace trainwarden::rules
