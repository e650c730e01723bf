// Metrics without a call: a log line in CloudWatch's Embedded Metric Format, from which CloudWatch
// makes metrics. Source:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::lambda {

enum class Unit : std::uint8_t { kCount, kNone };

// The values of one moment. A metric that was never added is not written: absent is not zero.
class Metrics {
 public:
  // dimension: a name and a value, or an empty name for none.
  Metrics(std::string name_space, std::pair<std::string, std::string> dimension)
      : namespace_(std::move(name_space)), dimension_(std::move(dimension)) {}

  // Adds to what the metric has; 0 makes it known. At most 100 metrics.
  void add(std::string_view name, double value, Unit unit = Unit::kCount);

  bool empty() const { return values_.empty(); }
  // One JSON object on one line, without the line's end.
  std::string line(sys_millis now) const;

 private:
  struct Value {
    std::string name;
    Unit unit;
    double value;
  };

  std::string namespace_;
  std::pair<std::string, std::string> dimension_;
  std::vector<Value> values_;
};

}  // namespace trainwarden::lambda
