// The MetricDataQuery of GetMetricData and PutMetricAlarm: a metric's statistic, or an expression
// over the others; checked with CloudWatch's texts, and computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/cloudwatch/metric_math.h"
#include "tests/localaws/cloudwatch/metric_search.h"
#include "tests/localaws/cloudwatch/metrics.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct MetricQuery {
  std::string id;
  std::string label;
  bool return_data = true;
  std::string expression;                   // empty: a metric
  std::optional<MetricSearch> search = {};  // where the expression is one
  MetricKey metric;
  std::string statistic;
  std::string unit;
  std::chrono::seconds period{0};
};

std::unexpected<AwsError> metric_error(std::string message);  // ValidationError

// 10, 20, 30 or a multiple of 60.
Answer<void> check_period(std::int64_t seconds);

// A list of MetricDataQuery, valid by its shape.
Answer<std::vector<MetricQuery>> metric_queries(json::Value list);

// The longest period among the metrics; 0: there is none.
std::chrono::seconds longest_period(const std::vector<MetricQuery>& queries);

// Every query's series by its id, but for searches, which have many. Metrics have their own
// periods, all from span.begin on.
Answer<std::map<std::string, Series, std::less<>>> compute(const std::vector<MetricQuery>& queries,
                                                           const MetricStore& store, Span span);

}  // namespace trainwarden::localaws
