#include "tests/localaws/cloudwatch/metric_browsing.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "tests/localaws/cloudwatch/metric_data_query.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;
using std::chrono::seconds;

constexpr std::size_t kMetricsPerPage = 500;
constexpr std::int64_t kMostDatapoints = 1440;

// Each dimension that is asked for, with its value or with any.
bool has_dimensions(const MetricKey& key, Value given) {
  const auto wanted = given.find_present("Dimensions");
  if (!wanted) return true;
  for (const Value dimension : wanted->elements()) {
    const std::string_view name = input::text(dimension, "Name");
    const std::string_view value = input::text(dimension, "Value");
    if (std::none_of(key.dimensions.begin(), key.dimensions.end(), [&](const auto& one) {
          return one.first == name && (value.empty() || one.second == value);
        }))
      return false;
  }
  return true;
}

bool is_listed(const MetricKey& key, Value given) {
  return input::text(given, "Namespace", key.name_space) == key.name_space &&
         input::text(given, "MetricName", key.name) == key.name && has_dimensions(key, given);
}

void write_metric(json::Sink& out, const MetricKey& key) {
  out.begin_object().member("Namespace", key.name_space).member("MetricName", key.name);
  out.key("Dimensions").begin_array();
  for (const auto& [name, value] : key.dimensions)
    out.begin_object().member("Name", name).member("Value", value).end_object();
  out.end_array().end_object();
}

std::vector<std::string_view> names_in(Value given, std::string_view member) {
  std::vector<std::string_view> out;
  if (const auto names = given.find_present(member))
    for (const Value name : names->elements()) out.push_back(name.as_string());
  return out;
}

Answer<Span> span_of(Value given) {
  const auto begin = instant_from(*given.find_present("StartTime"), "StartTime");
  const auto end = instant_from(*given.find_present("EndTime"), "EndTime");
  if (!begin || !end)
    return refuse(400, "InvalidParameterValue", (begin ? end : begin).error().message);
  const std::int64_t period = input::integer(given, "Period");
  if (auto ok = check_period(period); !ok) return std::unexpected(ok.error());
  if (*begin >= *end)
    return refuse(400, "InvalidParameterValue",
                  "The parameter StartTime must be less than the parameter EndTime.");
  // Periods begin at full ones.
  const auto since = begin->time_since_epoch();
  const Span span{sys_millis(since - since % seconds(period)), *end, seconds(period)};
  const std::int64_t points = (span.end - span.begin) / span.period;
  if (points > kMostDatapoints)
    return refuse(
        400, "InvalidParameterCombination",
        fmt::format("You have requested up to {} datapoints, which exceeds the limit of "
                    "{}. You may reduce the datapoints requested by increasing Period, or "
                    "decreasing the time range.",
                    points, kMostDatapoints));
  return span;
}

}  // namespace

Answer<std::string> list_metrics(Value given, const MetricStore& store) {
  std::size_t skip = 0;
  const std::string_view token = input::text(given, "NextToken");
  if (const auto read = std::from_chars(token.data(), token.data() + token.size(), skip);
      !token.empty() && (read.ec != std::errc() || read.ptr != token.data() + token.size()))
    return refuse(400, "InvalidParameterValue", "The value for parameter NextToken is invalid.");
  std::vector<MetricKey> found = store.keys();
  std::erase_if(found, [&](const MetricKey& key) { return !is_listed(key, given); });
  const std::size_t end = std::min(found.size(), skip + kMetricsPerPage);
  json::Writer out;
  out.begin_object().key("Metrics").begin_array();
  for (std::size_t i = skip; i < end; ++i) write_metric(out, found[i]);
  out.end_array();
  if (end < found.size()) out.member("NextToken", std::to_string(end));
  out.end_object();
  return out.take();
}

Answer<std::string> get_metric_statistics(Value given, const MetricStore& store) {
  const std::vector<std::string_view> simple = names_in(given, "Statistics");
  const std::vector<std::string_view> extended = names_in(given, "ExtendedStatistics");
  if (simple.empty() == extended.empty())
    return refuse(400, "InvalidParameterCombination",
                  "At least one of the parameters Statistics and ExtendedStatistics must be "
                  "specified, and not both.");
  for (const std::string_view statistic : extended)
    if (!known_statistic(statistic))
      return refuse(400, "InvalidParameterValue",
                    fmt::format("localaws does not know the statistic {}", statistic));
  const auto span = span_of(given);
  if (!span) return std::unexpected(span.error());
  const MetricKey key = metric_key(given);
  const std::string_view unit = input::text(given, "Unit");
  std::map<sys_millis, std::map<std::string_view, double>> points;
  for (const std::string_view statistic : simple.empty() ? extended : simple)
    for (const auto& [at, value] : store.series(key, statistic, unit, *span))
      points[at][statistic] = value;
  json::Writer out;
  out.begin_object().member("Label", key.name).key("Datapoints").begin_array();
  for (const auto& [at, values] : points) {
    out.begin_object().member("Timestamp",
                              std::chrono::floor<seconds>(at).time_since_epoch().count());
    if (simple.empty()) out.key("ExtendedStatistics").begin_object();
    for (const auto& [statistic, value] : values) out.member(statistic, value);
    if (simple.empty()) out.end_object();
    if (!unit.empty()) out.member("Unit", unit);
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
