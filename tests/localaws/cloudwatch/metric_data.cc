// PutMetricData's values and GetMetricData's answer.
#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "tests/localaws/cloudwatch/cloudwatch.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kMaxQueries = 500;
constexpr std::int64_t kMaxDatapoints = 100'800;
constexpr std::size_t kMaxValues = 150;
constexpr double kLargest = 0x1p360;  // AWS: -2^360 to 2^360

std::unexpected<AwsError> bad_value(std::string message) {
  return refuse(400, "InvalidParameterValue", std::move(message));
}

Answer<double> number_in(Value value, std::string_view where) {
  const double out = value.as_number();
  if (!std::isfinite(out) || std::fabs(out) > kLargest)
    return bad_value(fmt::format("The value {} for parameter {} is invalid.", out, where));
  return out;
}

Answer<std::vector<Sample>> listed(Value datum, std::string_view where, const std::string& unit) {
  const Value values = *datum.find_present("Values");
  const auto counts = datum.find_present("Counts");
  if (values.size() > kMaxValues)
    return bad_value(
        fmt::format("The collection {}.Values must not have a size greater than 150.", where));
  if (counts && counts->size() != values.size())
    return bad_value(
        fmt::format("The parameters {0}.Values and {0}.Counts must be of the same size.", where));
  std::vector<double> weights;
  if (counts)
    for (const Value count : counts->elements()) weights.push_back(count.as_number());
  std::vector<Sample> out;
  for (const Value element : values.elements()) {
    const auto value = number_in(element, where);
    if (!value) return std::unexpected(value.error());
    const double count = counts ? weights[out.size()] : 1;
    out.push_back({*value, count, *value * count, *value, *value, unit});
  }
  return out;
}

Answer<std::vector<Sample>> statistic_set(Value set, std::string_view where,
                                          const std::string& unit) {
  const double count = set.find_present("SampleCount")->as_number();
  const double sum = set.find_present("Sum")->as_number();
  const double minimum = set.find_present("Minimum")->as_number();
  const double maximum = set.find_present("Maximum")->as_number();
  if (count <= 0 || minimum > maximum)
    return bad_value(fmt::format(
        "The parameters {0}.StatisticValues.Maximum and {0}.StatisticValues.Minimum do not fit.",
        where));
  return std::vector<Sample>{{sum / count, count, sum, minimum, maximum, unit}};
}

struct Window {
  sys_millis begin;
  sys_millis end;
};

// As AWS rounds: recent times to the minute, older ones to five minutes, then to the hour.
Answer<Window> window_of(Value given, sys_millis now) {
  const auto begin = instant_from(*given.find_present("StartTime"), "StartTime");
  const auto end = instant_from(*given.find_present("EndTime"), "EndTime");
  if (!begin || !end) return metric_error("StartTime and EndTime must be timestamps.");
  if (*begin >= *end)
    return metric_error("The parameter StartTime must be less than the parameter EndTime.");
  const auto age = now - *begin;
  const std::chrono::minutes grid(age < std::chrono::days(15)   ? 1
                                  : age < std::chrono::days(63) ? 5
                                                                : 60);
  return Window{sys_millis(begin->time_since_epoch() / grid * grid), *end};
}

// Where a page begins, in datapoints over all results.
Answer<std::size_t> offset_of(std::string_view token) {
  std::size_t out = 0;
  if (token.empty()) return out;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), out);
  if (error != std::errc() || end != token.data() + token.size())
    return refuse(400, "InvalidNextToken", "The next token specified is invalid.");
  return out;
}

std::string label_of(const MetricQuery& query) {
  if (!query.label.empty()) return query.label;
  return query.expression.empty() ? query.metric.name : query.id;
}

using Points = std::vector<std::pair<sys_millis, double>>;

// A series of a query; of a search, one of many.
struct ResultRow {
  std::string id;
  std::string label;
  Points points;
};

std::vector<ResultRow> rows_of(const std::vector<MetricQuery>& queries,
                               std::map<std::string, Series, std::less<>>& series,
                               const MetricStore& store, Span span, bool& exceeded) {
  std::vector<ResultRow> out;
  for (const MetricQuery& query : queries) {
    if (!query.return_data) continue;
    if (!query.search) {
      const Series& values = series[query.id];
      out.push_back({query.id, label_of(query), Points(values.begin(), values.end())});
      continue;
    }
    std::vector<FoundSeries> found = search(*query.search, store, span);
    exceeded = exceeded || found.size() > kMaxFound;
    if (found.size() > kMaxFound) found.resize(kMaxFound);
    for (const FoundSeries& one : found)
      out.push_back({query.id, one.label, Points(one.series.begin(), one.series.end())});
  }
  return out;
}

void write_result(json::Sink& out, const ResultRow& row, const Points& points, bool complete) {
  out.begin_object().member("Id", row.id).member("Label", row.label);
  out.key("Timestamps").begin_array();
  for (const auto& [at, value] : points)
    out.number(static_cast<double>(at.time_since_epoch().count()) / 1000.0);
  out.end_array().key("Values").begin_array();
  for (const auto& [at, value] : points) out.number(value);
  out.end_array().member("StatusCode", complete ? "Complete" : "PartialData").end_object();
}

}  // namespace

Answer<std::vector<Sample>> samples_from(Value datum, std::string_view where) {
  const std::string unit(input::text(datum, "Unit", "None"));
  const int given = int{input::has(datum, "Value")} + int{input::has(datum, "Values")} +
                    int{input::has(datum, "StatisticValues")};
  if (given > 1)
    return refuse(400, "InvalidParameterCombination",
                  fmt::format("The parameters {0}.Value, {0}.Values and {0}.StatisticValues are "
                              "mutually exclusive and you have specified more than one.",
                              where));
  if (given == 0)
    return refuse(400, "MissingParameter",
                  fmt::format("At least one of the parameters {0}.Value, {0}.Values or "
                              "{0}.StatisticValues must be specified.",
                              where));
  if (const auto value = datum.find_present("Value")) {
    const auto one = number_in(*value, where);
    if (!one) return std::unexpected(one.error());
    return std::vector<Sample>{{*one, 1, *one, *one, *one, unit}};
  }
  if (const auto set = datum.find_present("StatisticValues"))
    return statistic_set(*set, where, unit);
  return listed(datum, where, unit);
}

Answer<std::string> get_metric_data(Value given, const MetricStore& store, sys_millis now) {
  const Value list = *given.find_present("MetricDataQueries");
  if (list.size() > kMaxQueries)
    return metric_error("The collection MetricDataQueries must not have a size greater than 500.");
  const auto queries = metric_queries(list);
  if (!queries) return std::unexpected(queries.error());
  const auto window = window_of(given, now);
  if (!window) return std::unexpected(window.error());
  const std::int64_t most = input::integer(given, "MaxDatapoints", kMaxDatapoints);
  if (most < 1 || most > kMaxDatapoints)
    return metric_error("MaxDatapoints must be between 1 and 100800.");
  const auto offset = offset_of(input::text(given, "NextToken"));
  if (!offset) return std::unexpected(offset.error());
  const Span span{window->begin, window->end, std::chrono::seconds(60)};
  auto series = compute(*queries, store, span);
  if (!series) return std::unexpected(series.error());
  bool exceeded = false;
  const std::vector<ResultRow> rows = rows_of(*queries, *series, store, span, exceeded);

  const bool ascending = input::text(given, "ScanBy") == "TimestampAscending";
  std::size_t skip = *offset;
  auto room = static_cast<std::size_t>(most);
  std::size_t written = 0;
  bool more = false;
  json::Writer out;
  out.begin_object().key("MetricDataResults").begin_array();
  for (const ResultRow& row : rows) {
    Points points = row.points;
    if (!ascending) std::reverse(points.begin(), points.end());
    const std::size_t passed = std::min(skip, points.size());
    skip -= passed;
    points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(passed));
    const bool complete = points.size() <= room;
    if (!complete) points.resize(room);
    room -= points.size();
    written += points.size();
    more = more || !complete;
    write_result(out, row, points, complete);
  }
  out.end_array().key("Messages").begin_array();
  if (exceeded)
    out.begin_object()
        .member("Code", "MaxMetricsExceeded")
        .member("Value", "Maximum number of allowed metrics exceeded")
        .end_object();
  out.end_array();
  if (more) out.member("NextToken", std::to_string(*offset + written));
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
