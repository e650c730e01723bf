#include "tests/localaws/cloudwatch/metric_data_query.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "runtime/base/ascii.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

bool valid_id(std::string_view id) {
  return !id.empty() && id.front() >= 'a' && id.front() <= 'z' &&
         std::all_of(id.begin(), id.end(), [](char c) { return is_alphanumeric(c) || c == '_'; });
}

Answer<MetricQuery> query_from(Value given, std::size_t number) {
  MetricQuery out;
  out.id = input::text(given, "Id");
  out.label = input::text(given, "Label");
  out.return_data = input::flag(given, "ReturnData", true);
  out.expression = input::text(given, "Expression");
  if (!valid_id(out.id))
    return metric_error(
        fmt::format("The value {} for parameter Metrics.member.{}.Id is not "
                    "matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.",
                    out.id, number));
  const auto stat = given.find_present("MetricStat");
  if (stat.has_value() == !out.expression.empty())
    return metric_error(fmt::format(
        "Metrics.member.{}: exactly one of MetricStat and Expression must be specified.", number));
  if (is_search(out.expression)) {
    auto parsed = parse_search(out.expression);
    if (!parsed)
      return metric_error(
          fmt::format("Error in expression '{}': {}", out.id, parsed.error().message));
    out.search = *std::move(parsed);
  }
  if (!stat) return out;
  const Value metric = *stat->find_present("Metric");
  out.metric = metric_key(metric);
  out.statistic = input::text(*stat, "Stat");
  out.unit = input::text(*stat, "Unit");
  const std::int64_t period = input::integer(*stat, "Period");
  out.period = std::chrono::seconds(period);
  if (auto ok = check_period(period); !ok) return std::unexpected(ok.error());
  if (!known_statistic(out.statistic))
    return metric_error(
        fmt::format("The value {} for parameter MetricStat.Stat is not supported.", out.statistic));
  return out;
}

// Ids are unique, and expressions name only others, without going round in circles.
Answer<void> check_links(const std::vector<MetricQuery>& queries) {
  std::set<std::string_view> ids;
  for (const MetricQuery& query : queries)
    if (!ids.insert(query.id).second)
      return metric_error(fmt::format(
          "The values for parameter id in the metrics list are not unique: {}.", query.id));
  std::set<std::string, std::less<>> known;
  for (const MetricQuery& query : queries)
    if (query.expression.empty()) known.insert(query.id);
  std::vector<const MetricQuery*> open;
  for (const MetricQuery& query : queries) {
    if (query.expression.empty() || query.search) continue;
    const auto named = ids_in(query.expression);
    if (!named)
      return metric_error(
          fmt::format("Error in expression '{}': {}", query.id, named.error().message));
    for (const std::string& id : *named)
      if (!ids.contains(id))
        return metric_error(
            fmt::format("Error in expression '{}': Undefined variable: {}", query.id, id));
    open.push_back(&query);
  }
  const auto ready = [&](const MetricQuery* query) {
    const auto named = ids_in(query->expression);
    return std::all_of(named->begin(), named->end(),
                       [&](const std::string& id) { return known.contains(id); });
  };
  while (!open.empty()) {
    const auto next = std::find_if(open.begin(), open.end(), ready);
    if (next == open.end())
      return metric_error("The expressions of the metrics list refer to each other in a circle.");
    known.insert((*next)->id);
    open.erase(next);
  }
  return {};
}

}  // namespace

std::unexpected<AwsError> metric_error(std::string message) {
  return refuse(400, "ValidationError", std::move(message));
}

Answer<void> check_period(std::int64_t seconds) {
  if (seconds == 10 || seconds == 20 || seconds == 30 || (seconds > 0 && seconds % 60 == 0))
    return {};
  return metric_error("Period must be 10, 20, 30 or a multiple of 60");
}

Answer<std::vector<MetricQuery>> metric_queries(Value list) {
  std::vector<MetricQuery> out;
  for (const Value element : list.elements()) {
    auto query = query_from(element, out.size() + 1);
    if (!query) return std::unexpected(query.error());
    out.push_back(std::move(*query));
  }
  if (auto ok = check_links(out); !ok) return std::unexpected(ok.error());
  return out;
}

std::chrono::seconds longest_period(const std::vector<MetricQuery>& queries) {
  std::chrono::seconds longest{0};
  for (const MetricQuery& query : queries) longest = std::max(longest, query.period);
  return longest;
}

Answer<std::map<std::string, Series, std::less<>>> compute(const std::vector<MetricQuery>& queries,
                                                           const MetricStore& store, Span span) {
  MathInput values;
  if (const std::chrono::seconds period = longest_period(queries); period.count() > 0)
    for (sys_millis at = span.begin; at < span.end; at += period) values.times.push_back(at);
  std::vector<const MetricQuery*> open;
  for (const MetricQuery& query : queries) {
    if (query.search) continue;
    if (!query.expression.empty()) {
      open.push_back(&query);
      continue;
    }
    span.period = query.period;
    values.series[query.id] = store.series(query.metric, query.statistic, query.unit, span);
    values.metrics.push_back(query.id);
  }
  // An expression is computed once all that it names is; check_links() said that this ends.
  while (!open.empty()) {
    const auto next = std::find_if(open.begin(), open.end(), [&](const MetricQuery* query) {
      const auto named = ids_in(query->expression);
      return named && std::all_of(named->begin(), named->end(), [&](const std::string& id) {
               return values.series.contains(id);
             });
    });
    if (next == open.end()) return metric_error("Error in expression");
    auto series = evaluate_math((*next)->expression, values);
    if (!series)
      return metric_error(
          fmt::format("Error in expression '{}': {}", (*next)->id, series.error().message));
    values.series[(*next)->id] = std::move(*series);
    open.erase(next);
  }
  return std::move(values.series);
}

}  // namespace trainwarden::localaws
