// What others see of an alarm: DescribeAlarms' entry, and the message that goes to its actions.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tests/localaws/cloudwatch/alarm.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Sink;
using json::Value;

struct Place {
  std::string_view region;
  std::string_view name;
};

// The display names that alarm messages have in place of the region's code.
constexpr std::array kPlaces = {
    Place{"us-east-1", "US East (N. Virginia)"},
    Place{"us-east-2", "US East (Ohio)"},
    Place{"us-west-1", "US West (N. California)"},
    Place{"us-west-2", "US West (Oregon)"},
    Place{"ca-central-1", "Canada (Central)"},
    Place{"eu-central-1", "EU (Frankfurt)"},
    Place{"eu-north-1", "EU (Stockholm)"},
    Place{"eu-south-1", "EU (Milan)"},
    Place{"eu-west-1", "EU (Ireland)"},
    Place{"eu-west-2", "EU (London)"},
    Place{"eu-west-3", "EU (Paris)"},
    Place{"ap-east-1", "Asia Pacific (Hong Kong)"},
    Place{"ap-northeast-1", "Asia Pacific (Tokyo)"},
    Place{"ap-northeast-2", "Asia Pacific (Seoul)"},
    Place{"ap-south-1", "Asia Pacific (Mumbai)"},
    Place{"ap-southeast-1", "Asia Pacific (Singapore)"},
    Place{"ap-southeast-2", "Asia Pacific (Sydney)"},
    Place{"sa-east-1", "South America (Sao Paulo)"},
};

std::string_view place_of(std::string_view region) {
  const auto* const found = std::find_if(
      kPlaces.begin(), kPlaces.end(), [&](const Place& place) { return place.region == region; });
  return found == kPlaces.end() ? region : found->name;
}

constexpr std::array<std::string_view, 3> kActionLists = {"OKActions", "AlarmActions",
                                                          "InsufficientDataActions"};
// Members of the definition that DescribeAlarms shows as they were put.
constexpr std::array<std::string_view, 16> kShown = {"AlarmDescription",
                                                     "MetricName",
                                                     "Namespace",
                                                     "Statistic",
                                                     "ExtendedStatistic",
                                                     "Period",
                                                     "Unit",
                                                     "EvaluationPeriods",
                                                     "DatapointsToAlarm",
                                                     "Threshold",
                                                     "ComparisonOperator",
                                                     "TreatMissingData",
                                                     "EvaluateLowSampleCountPercentile",
                                                     "Dimensions",
                                                     "Metrics",
                                                     "ThresholdMetricId"};

double epoch(sys_millis t) { return static_cast<double>(t.time_since_epoch().count()) / 1000.0; }

// "2026-07-02T14:20:13.320+0000"
std::string offset_time(sys_millis t) {
  std::string out = rfc3339(t);
  out.replace(out.size() - 1, 1, "+0000");
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

void write_list(Sink& out, Value definition, std::string_view name) {
  out.key(name);
  if (const auto given = definition.find_present(name))
    out.value(*given);
  else
    out.begin_array().end_array();
}

void write_text_or_null(Sink& out, Value object, std::string_view name) {
  out.key(name);
  if (const auto given = object.find_present(name))
    out.value(*given);
  else
    out.null();
}

void write_dimensions(Sink& out, Value object) {
  out.key("Dimensions").begin_array();
  if (const auto given = object.find_present("Dimensions"))
    for (const Value dimension : given->elements())
      out.begin_object()
          .member("value", input::text(dimension, "Value"))
          .member("name", input::text(dimension, "Name"))
          .end_object();
  out.end_array();
}

void write_statistic(Sink& out, Value definition) {
  const bool extended = input::has(definition, "ExtendedStatistic");
  out.member("StatisticType", extended ? "ExtendedStatistic" : "Statistic");
  if (extended)
    out.member("ExtendedStatistic", input::text(definition, "ExtendedStatistic"));
  else
    out.member("Statistic", upper(input::text(definition, "Statistic")));
}

void write_query(Sink& out, Value query) {
  out.begin_object();
  if (input::has(query, "Expression")) out.member("Expression", input::text(query, "Expression"));
  out.member("Id", input::text(query, "Id"));
  if (input::has(query, "Label")) out.member("Label", input::text(query, "Label"));
  if (const auto stat = query.find_present("MetricStat")) {
    const Value metric = *stat->find_present("Metric");
    out.key("MetricStat").begin_object().key("Metric").begin_object();
    write_dimensions(out, metric);
    out.member("MetricName", input::text(metric, "MetricName"));
    out.member("Namespace", input::text(metric, "Namespace")).end_object();
    out.member("Period", input::integer(*stat, "Period"));
    out.member("Stat", input::text(*stat, "Stat"));
    if (input::has(*stat, "Unit")) out.member("Unit", input::text(*stat, "Unit"));
    out.end_object();
  }
  out.member("ReturnData", input::flag(query, "ReturnData", true)).end_object();
}

void write_trigger(Sink& out, const Alarm& alarm) {
  const Value definition = alarm.definition.root();
  const auto metrics = definition.find_present("Metrics");
  out.key("Trigger").begin_object();
  if (!metrics) {
    out.member("MetricName", input::text(definition, "MetricName"));
    out.member("Namespace", input::text(definition, "Namespace"));
    write_statistic(out, definition);
    write_text_or_null(out, definition, "Unit");
    write_dimensions(out, definition);
  }
  out.member("Period", alarm.period.count()).member("EvaluationPeriods", alarm.rule.periods);
  out.member("DatapointsToAlarm", alarm.rule.datapoints);
  out.member("ComparisonOperator", input::text(definition, "ComparisonOperator"));
  out.member("Threshold", alarm.rule.threshold);
  out.member("TreatMissingData", input::text(definition, "TreatMissingData", "missing"));
  out.member("EvaluateLowSampleCountPercentile",
             input::text(definition, "EvaluateLowSampleCountPercentile"));
  if (metrics) {
    out.key("Metrics").begin_array();
    for (const Value query : metrics->elements()) write_query(out, query);
    out.end_array();
  }
  out.end_object();
}

}  // namespace

std::vector<std::string> actions_of(const Alarm& alarm, AlarmState state) {
  std::vector<std::string> out;
  const Value definition = alarm.definition.root();
  if (!input::flag(definition, "ActionsEnabled", true)) return out;
  const std::string_view list = kActionLists[static_cast<std::size_t>(state)];
  if (const auto given = definition.find_present(list))
    for (const Value arn : given->elements()) out.emplace_back(arn.as_string());
  return out;
}

std::vector<Datapoint> datapoints_of(const Alarm& alarm, const MetricStore& store, sys_millis now) {
  const std::chrono::seconds grid = alarm.period * alarm.rule.periods > std::chrono::days(1)
                                        ? std::chrono::hours(1)
                                        : std::min(alarm.period, std::chrono::seconds(60));
  const sys_millis end(now.time_since_epoch() / grid * grid);
  const int count = alarm.rule.periods + kLookback;
  const sys_millis begin = end - alarm.period * count;
  Series series;
  if (auto all = compute(alarm.queries, store, {begin, end, alarm.period}))
    for (const MetricQuery& query : alarm.queries)
      if (query.return_data) series = std::move((*all)[query.id]);
  std::vector<Datapoint> out;
  for (int i = 1; i <= count; ++i) {
    const sys_millis at = end - alarm.period * i;
    const auto found = series.find(at);
    out.push_back({at, found == series.end() ? std::nullopt : std::optional(found->second)});
  }
  return out;
}

void write_alarm(Sink& out, const Alarm& alarm) {
  const Value definition = alarm.definition.root();
  out.begin_object().member("AlarmName", alarm.name).member("AlarmArn", alarm.arn);
  out.member("AlarmConfigurationUpdatedTimestamp", epoch(alarm.configured));
  out.member("ActionsEnabled", input::flag(definition, "ActionsEnabled", true));
  for (const std::string_view list : kActionLists) write_list(out, definition, list);
  out.member("StateValue", name(alarm.state)).member("StateReason", alarm.reason);
  if (!alarm.reason_data.empty()) out.member("StateReasonData", alarm.reason_data);
  out.member("StateUpdatedTimestamp", epoch(alarm.updated));
  out.member("StateTransitionedTimestamp", epoch(alarm.transitioned));
  for (const std::string_view member : kShown)
    if (const auto given = definition.find_present(member)) out.member(member, *given);
  if (!input::has(definition, "Dimensions")) out.key("Dimensions").begin_array().end_array();
  out.end_object();
}

std::string alarm_message(const Alarm& alarm, AlarmState before, const Home& home) {
  const Value definition = alarm.definition.root();
  json::Writer out;
  out.begin_object().member("AlarmName", alarm.name);
  write_text_or_null(out, definition, "AlarmDescription");
  out.member("AWSAccountId", home.account);
  out.member("AlarmConfigurationUpdatedTimestamp", offset_time(alarm.configured));
  out.member("NewStateValue", name(alarm.state)).member("NewStateReason", alarm.reason);
  out.member("StateChangeTime", offset_time(alarm.updated));
  out.member("Region", place_of(home.region)).member("AlarmArn", alarm.arn);
  out.member("OldStateValue", name(before));
  for (const std::string_view list : kActionLists) write_list(out, definition, list);
  write_trigger(out, alarm);
  out.end_object();
  return out.take();
}

std::string alarm_subject(const Alarm& alarm, const Home& home) {
  constexpr std::size_t kMost = 99;
  std::string subject =
      fmt::format("{}: \"{}\" in {}", name(alarm.state), alarm.name, place_of(home.region));
  if (subject.size() > kMost) subject = subject.substr(0, kMost - 3) + "...";
  return subject;
}

}  // namespace trainwarden::localaws
