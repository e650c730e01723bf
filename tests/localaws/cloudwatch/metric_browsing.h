// ListMetrics and GetMetricStatistics: what people look at metrics with; the functions use
// GetMetricData.
#pragma once

#include <string>

#include "runtime/json/json.h"
#include "tests/localaws/cloudwatch/metrics.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

Answer<std::string> list_metrics(json::Value given, const MetricStore& store);
Answer<std::string> get_metric_statistics(json::Value given, const MetricStore& store);

}  // namespace trainwarden::localaws
