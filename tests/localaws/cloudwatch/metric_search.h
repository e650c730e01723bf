// CloudWatch's SEARCH(' {Namespace, Dimension, …} MetricName="x"', 'Statistic', period), which in
// GetMetricData stands for all metrics of that namespace with exactly these dimensions: a result
// each, all with the query's id, at most 500. Of search terms only MetricName= is understood.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "tests/localaws/cloudwatch/metrics.h"

namespace trainwarden::localaws {

inline constexpr std::size_t kMaxFound = 500;

struct MetricSearch {
  std::string name_space;
  std::vector<std::string> dimensions;
  std::string metric;  // empty: any
  std::string statistic;
  std::chrono::seconds period{300};
};

bool is_search(std::string_view expression);
// kInvalidInput says what is wrong with it.
Result<MetricSearch> parse_search(std::string_view expression);

struct FoundSeries {
  std::string label;
  Series series;
};
// One more than kMaxFound where there are more.
std::vector<FoundSeries> search(const MetricSearch& search, const MetricStore& store, Span span);

}  // namespace trainwarden::localaws
