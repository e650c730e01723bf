#include "handlers/rules/alarms/alarm_definition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarms/described_alarm.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::rules {
namespace {

using json::Value;
using json::Writer;

void write_value(Writer& out, std::string_view name, Value value) {
  out.key(name);
  if (value.is_number())
    out.number(value.as_number() + 0.0);  // 3, 3.0 and 3e0 are one number, and -0 is 0
  else
    out.value(value);
}

void write_member(Writer& out, Value from, std::string_view name) {
  if (const auto value = from.find_present(name)) write_value(out, name, *value);
}

// With CloudWatch's own default where it is missing.
void write_text(Writer& out, Value from, std::string_view name, std::string_view otherwise) {
  const auto value = from.find_present(name);
  out.member(name, value && value->is_string() ? value->as_string() : otherwise);
}

// Whose alarm it is and what it watches. Versions say differently whose it is: that alone makes no
// other alarm of it, or the first sweep after an update would put all alarms again.
void write_description(Writer& out, Value from) {
  const auto value = from.find_present("AlarmDescription");
  const AlarmText text =
      read_description(value && value->is_string() ? value->as_string() : std::string_view());
  out.member("AlarmDescription", text.definition).member("says_ours", text.says_ours);
}

void write_flag(Writer& out, Value from, std::string_view name) {
  const auto value = from.find_present(name);
  out.member(name, !value || !value->is_boolean() || value->as_boolean());
}

void write_sorted(Writer& out, std::string_view name, std::vector<std::string> texts) {
  std::ranges::sort(texts);
  out.key(name).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

// Each element as its own text, in no matter what order.
template <class Write>
std::vector<std::string> texts_of(Value from, std::string_view name, Write write) {
  std::vector<std::string> out;
  const auto list = from.find_present(name);
  if (!list) return out;
  for (const Value element : list->elements()) {
    Writer writer;
    write(writer, element);
    out.push_back(writer.take());
  }
  return out;
}

void write_list(Writer& out, Value from, std::string_view name) {
  write_sorted(out, name, texts_of(from, name, [](Writer& writer, Value v) { writer.value(v); }));
}

void write_dimensions(Writer& out, Value from) {
  const auto write = [](Writer& writer, Value dimension) {
    writer.begin_object();
    write_text(writer, dimension, "Name", {});
    write_text(writer, dimension, "Value", {});
    writer.end_object();
  };
  write_sorted(out, "Dimensions", texts_of(from, "Dimensions", write));
}

void write_query(Writer& out, Value query) {
  out.begin_object();
  write_text(out, query, "Id", {});
  for (const std::string_view name : {"AccountId", "Expression", "Label", "Period"})
    write_member(out, query, name);
  write_flag(out, query, "ReturnData");
  if (const auto stat = query.find_present("MetricStat")) {
    out.key("MetricStat").begin_object();
    for (const std::string_view name : {"Period", "Stat", "Unit"}) write_member(out, *stat, name);
    if (const auto metric = stat->find_present("Metric")) {
      for (const std::string_view name : {"MetricName", "Namespace"})
        write_member(out, *metric, name);
      write_dimensions(out, *metric);
    }
    out.end_object();
  }
  out.end_object();
}

std::string normal_form(Value alarm, Compared compared) {
  Writer out;
  out.begin_object();
  for (const std::string_view name :
       {"AlarmName", "MetricName", "Namespace", "Statistic", "ExtendedStatistic", "Period", "Unit",
        "EvaluationPeriods", "ThresholdMetricId", "ComparisonOperator"})
    write_member(out, alarm, name);
  if (compared == Compared::kAll) write_member(out, alarm, "Threshold");
  write_description(out, alarm);
  write_text(out, alarm, "TreatMissingData", "missing");
  write_text(out, alarm, "EvaluateLowSampleCountPercentile", "evaluate");
  write_flag(out, alarm, "ActionsEnabled");
  auto datapoints = alarm.find_present("DatapointsToAlarm");
  if (!datapoints) datapoints = alarm.find_present("EvaluationPeriods");  // all of them
  if (datapoints) write_value(out, "DatapointsToAlarm", *datapoints);
  for (const std::string_view name : {"AlarmActions", "OKActions", "InsufficientDataActions"})
    write_list(out, alarm, name);
  write_dimensions(out, alarm);
  write_sorted(out, "Metrics", texts_of(alarm, "Metrics", write_query));
  out.end_object();
  return out.take();
}

}  // namespace

bool same_alarm(Value planned, Value described, Compared compared) {
  return normal_form(planned, compared) == normal_form(described, compared);
}

std::uint64_t alarm_fingerprint(Value planned_or_described, Compared compared) {
  return fnv1a(normal_form(planned_or_described, compared));
}

}  // namespace trainwarden::rules
