#include "runtime/lambda/metrics.h"

#include <algorithm>

#include "runtime/json/json.h"

namespace trainwarden::lambda {
namespace {

constexpr std::size_t kMaxMetrics = 100;

std::string_view unit_name(Unit unit) { return unit == Unit::kCount ? "Count" : "None"; }

}  // namespace

void Metrics::add(std::string_view name, double value, Unit unit) {
  const auto known = std::ranges::find(values_, name, &Value::name);
  if (known != values_.end())
    known->value += value;
  else if (values_.size() < kMaxMetrics)
    values_.push_back({std::string(name), unit, value});
}

std::string Metrics::line(sys_millis now) const {
  const auto& [dimension, dimension_value] = dimension_;
  json::Writer writer;
  writer.begin_object().key("_aws").begin_object();
  writer.member("Timestamp", now.time_since_epoch().count());
  writer.key("CloudWatchMetrics").begin_array().begin_object().member("Namespace", namespace_);
  writer.key("Dimensions").begin_array().begin_array();
  if (!dimension.empty()) writer.string(dimension);
  writer.end_array().end_array().key("Metrics").begin_array();
  for (const Value& value : values_)
    writer.begin_object()
        .member("Name", value.name)
        .member("Unit", unit_name(value.unit))
        .end_object();
  writer.end_array().end_object().end_array().end_object();
  if (!dimension.empty()) writer.member(dimension, dimension_value);
  for (const Value& value : values_) writer.member(value.name, value.value);
  writer.end_object();
  return writer.take();
}

}  // namespace trainwarden::lambda
