// What PutMetricAlarm refuses beyond its shape, and the alarm that a good request becomes.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tests/localaws/cloudwatch/alarm.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kWeek = 604'800;
constexpr std::int64_t kHour = 3'600;
constexpr std::size_t kMaxMetrics = 10;  // and as many expressions
constexpr std::size_t kMaxTags = 50;

constexpr std::array<std::string_view, 7> kPlainMembers = {
    "Namespace", "MetricName", "Dimensions", "Period", "Unit", "Statistic", "ExtendedStatistic"};
constexpr std::array<std::string_view, 3> kActions = {"OKActions", "AlarmActions",
                                                      "InsufficientDataActions"};

std::optional<Comparison> comparison_of(std::string_view text) {
  if (text == "GreaterThanOrEqualToThreshold") return Comparison::kGreaterOrEqual;
  if (text == "GreaterThanThreshold") return Comparison::kGreater;
  if (text == "LessThanThreshold") return Comparison::kLess;
  if (text == "LessThanOrEqualToThreshold") return Comparison::kLessOrEqual;
  return std::nullopt;
}

std::optional<MissingData> missing_data_of(std::string_view text) {
  if (text == "missing") return MissingData::kMissing;
  if (text == "ignore") return MissingData::kIgnore;
  if (text == "breaching") return MissingData::kBreaching;
  if (text == "notBreaching") return MissingData::kNotBreaching;
  return std::nullopt;
}

Answer<void> check_actions(Value request, const Home& home) {
  for (const std::string_view list : kActions) {
    const auto given = request.find_present(list);
    if (!given) continue;
    for (const Value action : given->elements()) {
      const std::string_view arn = action.as_string();
      if (!arn.starts_with("arn:aws") || std::count(arn.begin(), arn.end(), ':') < 5)
        return metric_error(fmt::format("Invalid arn syntax: {}", arn));
      std::string_view region = arn;
      for (int i = 0; i < 3; ++i) region.remove_prefix(region.find(':') + 1);
      region = region.substr(0, region.find(':'));
      if (region != home.region)
        return metric_error(
            fmt::format("Invalid region {} specified. Only {} is supported.", region, home.region));
    }
  }
  return {};
}

// A plain metric alarm as the one query that it is.
Answer<std::vector<MetricQuery>> plain_query(Value request) {
  if (!input::has(request, "MetricName") || !input::has(request, "Namespace"))
    return metric_error("Exactly one element of the metrics list should return data.");
  const bool plain = input::has(request, "Statistic");
  if (plain == input::has(request, "ExtendedStatistic"))
    return metric_error(
        "Exactly one of the parameters Statistic and ExtendedStatistic must be specified.");
  if (!input::has(request, "Period"))
    return refuse(400, "MissingParameter", "The parameter Period is required.");
  const std::int64_t period = input::integer(request, "Period");
  if (auto ok = check_period(period); !ok) return std::unexpected(ok.error());
  MetricQuery query;
  query.id = "m1";
  query.metric = metric_key(request);
  query.statistic = input::text(request, plain ? "Statistic" : "ExtendedStatistic");
  query.unit = input::text(request, "Unit");
  query.period = std::chrono::seconds(period);
  if (!known_statistic(query.statistic))
    return metric_error(fmt::format(
        "The value {} for parameter ExtendedStatistic is not supported.", query.statistic));
  return std::vector<MetricQuery>{std::move(query)};
}

Answer<std::vector<MetricQuery>> math_queries(Value request) {
  for (const std::string_view member : kPlainMembers)
    if (input::has(request, member))
      return refuse(
          400, "InvalidParameterCombination",
          fmt::format("If you specify the Metrics parameter, you must not specify {}.", member));
  auto queries = metric_queries(*request.find_present("Metrics"));
  if (!queries) return queries;
  if (std::any_of(queries->begin(), queries->end(),
                  [](const MetricQuery& query) { return query.search.has_value(); }))
    return metric_error("SEARCH is not supported on alarms.");
  const auto metrics = static_cast<std::size_t>(std::count_if(
      queries->begin(), queries->end(), [](const auto& q) { return q.expression.empty(); }));
  if (metrics > kMaxMetrics || queries->size() - metrics > kMaxMetrics)
    return metric_error(fmt::format(
        "The metrics list has {} metrics and {} expressions; an alarm may have {} of each.",
        metrics, queries->size() - metrics, kMaxMetrics));
  if (std::count_if(queries->begin(), queries->end(),
                    [](const auto& q) { return q.return_data; }) != 1)
    return metric_error("Exactly one element of the metrics list should return data.");
  if (metrics == 0) return metric_error("The metrics list must have at least one MetricStat.");
  return queries;
}

Answer<void> check_range(std::int64_t period, std::int64_t periods) {
  if (period < kHour && period * periods > kDay)
    return metric_error(
        "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= "
        "86400)");
  if (period >= kHour && period * periods > kWeek)
    return metric_error(
        "Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= "
        "604800) for alarms using period >= 3600");
  return {};
}

Answer<void> check_name(std::string_view name) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), control))
    return metric_error("The AlarmName must not contain ASCII control characters.");
  return {};
}

Answer<AlarmRule> rule_from(Value request) {
  for (const std::string_view needed : {"EvaluationPeriods", "ComparisonOperator", "Threshold"})
    if (!input::has(request, needed))
      return refuse(400, "MissingParameter", fmt::format("The parameter {} is required.", needed));
  const auto comparison = comparison_of(input::text(request, "ComparisonOperator"));
  if (!comparison || input::has(request, "ThresholdMetricId"))
    return metric_error("localaws has no anomaly detection: ThresholdMetricId is not supported.");
  const std::string_view treat = input::text(request, "TreatMissingData", "missing");
  const auto missing = missing_data_of(treat);
  if (!missing)
    return metric_error(
        fmt::format("The value {} is unsupported for parameter TreatMissingData. Supported values "
                    "are [breaching, notBreaching, ignore, missing].",
                    treat));
  const std::string_view low = input::text(request, "EvaluateLowSampleCountPercentile", "evaluate");
  if (low != "evaluate" && low != "ignore")
    return metric_error(
        fmt::format("Option {} is not supported for EvaluateLowSampleCountPercentile.", low));
  const std::int64_t periods = input::integer(request, "EvaluationPeriods");
  const std::int64_t datapoints = input::integer(request, "DatapointsToAlarm", periods);
  if (datapoints > periods)
    return metric_error("DatapointsToAlarm must be less than or equal to EvaluationPeriods.");
  if (periods > kDay)
    return metric_error(
        "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= "
        "86400)");
  return AlarmRule{.periods = static_cast<int>(periods),
                   .datapoints = static_cast<int>(datapoints),
                   .threshold = request.find_present("Threshold")->as_number(),
                   .comparison = *comparison,
                   .missing = *missing};
}

}  // namespace

Answer<Alarm> alarm_from(Value request, const Home& home, sys_millis now) {
  const std::string name(input::text(request, "AlarmName"));
  if (auto ok = check_name(name); !ok) return std::unexpected(ok.error());
  if (input::has(request, "EvaluationCriteria") || input::has(request, "EvaluationInterval"))
    return metric_error("localaws knows no PromQL alarms: EvaluationCriteria is not supported.");
  if (const auto tags = request.find_present("Tags"); tags && tags->size() > kMaxTags)
    return metric_error("The maximum number of tags is 50.");
  auto queries = input::has(request, "Metrics") ? math_queries(request) : plain_query(request);
  if (!queries) return std::unexpected(queries.error());
  auto rule = rule_from(request);
  if (!rule) return std::unexpected(rule.error());
  const std::chrono::seconds period = longest_period(*queries);
  if (auto ok = check_range(period.count(), rule->periods); !ok) return std::unexpected(ok.error());
  if (auto ok = check_actions(request, home); !ok) return std::unexpected(ok.error());
  auto definition = json::Document::parse(json::to_text(request));
  if (!definition) return refuse(400, "SerializationException", definition.error().message);
  return Alarm{
      .name = name,
      .arn = fmt::format("arn:aws:cloudwatch:{}:{}:alarm:{}", home.region, home.account, name),
      .definition = std::move(*definition),
      .queries = std::move(*queries),
      .rule = *rule,
      .period = period,
      .reason_data = {},
      .configured = now,
      .updated = now,
      .transitioned = now};
}

}  // namespace trainwarden::localaws
