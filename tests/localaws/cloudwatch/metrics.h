// What PutMetricData gave: samples by metric (namespace, name and the exact set of dimensions), and
// their statistics over periods. Pure storage.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::localaws {

struct MetricKey {
  std::string name_space;
  std::string name;
  std::vector<std::pair<std::string, std::string>> dimensions;  // sorted

  auto operator<=>(const MetricKey&) const = default;
};

// Of an object with Namespace, MetricName and Dimensions. Null members count as missing.
MetricKey metric_key(json::Value metric);

// One value, how often it was seen; or a statistic set, whose values are not known one by one.
struct Sample {
  double value;  // of a set: its average
  double count;
  double sum;
  double minimum;
  double maximum;
  std::string unit;
};

// A value for each period that has data, by the period's begin.
using Series = std::map<sys_millis, double>;

// Periods of equal length, side by side: [begin, begin + period), … The last may be cut by end.
struct Span {
  sys_millis begin;
  sys_millis end;
  std::chrono::seconds period;
};

// "Average", …, "p99", "p99.9". Others are not computed.
bool known_statistic(std::string_view statistic);

class MetricStore {
 public:
  void add(const MetricKey& key, sys_millis at, Sample sample);
  // unit: empty means any. Percentiles need values that are known one by one and not negative.
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#Percentiles
  Series series(const MetricKey& key, std::string_view statistic, std::string_view unit,
                const Span& span) const;
  std::vector<MetricKey> keys() const;
  void clear() { samples_.clear(); }

 private:
  std::map<MetricKey, std::multimap<sys_millis, Sample>> samples_;
};

}  // namespace trainwarden::localaws
