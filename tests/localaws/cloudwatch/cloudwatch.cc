#include "tests/localaws/cloudwatch/cloudwatch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tests/localaws/cloudwatch/cloudwatch_shapes.h"
#include "tests/localaws/cloudwatch/metric_browsing.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kAlarmsPerPage = 50;
constexpr std::size_t kMaxData = 1000;  // MetricDatum in a call
constexpr std::chrono::hours kOldest{14 * 24};
constexpr std::chrono::hours kNewest{2};
constexpr std::chrono::minutes kRound{1};

AlarmState state_of(std::string_view text) {
  if (text == "OK") return AlarmState::kOk;
  return text == "ALARM" ? AlarmState::kAlarm : AlarmState::kInsufficientData;
}

bool watches(const Alarm& alarm, const MetricKey& key) {
  return std::any_of(alarm.queries.begin(), alarm.queries.end(),
                     [&](const MetricQuery& query) { return query.metric == key; });
}

// What the console shows of an evaluation; only its form is AWS's.
std::string reason_data(const Alarm& alarm, const Verdict& verdict, sys_millis now) {
  json::Writer out;
  out.begin_object().member("version", "1.0").member("queryDate", rfc3339(now));
  if (!alarm.queries.front().statistic.empty() && alarm.queries.size() == 1)
    out.member("statistic", alarm.queries.front().statistic);
  out.member("period", alarm.period.count()).key("recentDatapoints").begin_array();
  for (auto point = verdict.evaluated.rbegin(); point != verdict.evaluated.rend(); ++point)
    out.number(*point->value);
  out.end_array().member("threshold", alarm.rule.threshold).end_object();
  return out.take();
}

// A page token: the name of the last alarm of the page before.
Answer<std::string> after_token(std::string_view token) {
  const auto out = unhex(token);
  if (!out) return refuse(400, "InvalidNextToken", "The next token specified is invalid.");
  return *out;
}

bool acts_on(const Alarm& alarm, std::string_view prefix) {
  const Value definition = alarm.definition.root();
  for (const std::string_view list : {"OKActions", "AlarmActions", "InsufficientDataActions"})
    if (const auto given = definition.find_present(list))
      for (const Value arn : given->elements())
        if (arn.as_string().starts_with(prefix)) return true;
  return false;
}

// DescribeAlarms' filters.
bool wanted(const Alarm& alarm, Value given) {
  if (const auto names = given.find_present("AlarmNames"); names && names->size() > 0) {
    bool named = false;
    for (const Value name : names->elements()) named = named || name.as_string() == alarm.name;
    if (!named) return false;
  }
  if (const auto types = given.find_present("AlarmTypes"); types && types->size() > 0) {
    bool metric = false;
    for (const Value type : types->elements()) metric = metric || type.as_string() == "MetricAlarm";
    if (!metric) return false;
  }
  return alarm.name.starts_with(input::text(given, "AlarmNamePrefix")) &&
         input::text(given, "StateValue", name(alarm.state)) == name(alarm.state) &&
         acts_on(alarm, input::text(given, "ActionPrefix")) >= input::has(given, "ActionPrefix") &&
         !input::has(given, "ChildrenOfAlarmName") && !input::has(given, "ParentsOfAlarmName");
}

Answer<sys_millis> time_of(Value datum, std::string_view where, sys_millis now) {
  const auto given = datum.find_present("Timestamp");
  if (!given) return now;
  const auto at = instant_from(*given, where);
  if (!at) return refuse(400, "InvalidParameterValue", at.error().message);
  if (*at < now - kOldest || *at > now + kNewest)
    return refuse(400, "InvalidParameterValue",
                  fmt::format("The parameter {}.Timestamp must specify a time no more than two "
                              "weeks in the past and two hours in the future.",
                              where));
  return *at;
}

}  // namespace

CloudWatch::CloudWatch(Home home, Listener acts)
    : Service(cloudwatch_inputs()), home_(std::move(home)), acts_(std::move(acts)) {}

Answer<std::string> CloudWatch::call(std::string_view operation, Value given, sys_millis now) {
  if (operation == "PutMetricAlarm") return put_alarm(given, now);
  if (operation == "DeleteAlarms") return delete_alarms(given);
  if (operation == "DescribeAlarms") return describe_alarms(given);
  if (operation == "SetAlarmState") return set_state(given, now);
  if (operation == "GetMetricData") return get_metric_data(given, metrics_, now);
  if (operation == "ListMetrics") return list_metrics(given, metrics_);
  if (operation == "GetMetricStatistics") return get_metric_statistics(given, metrics_);
  return put_data(given, now);
}

void CloudWatch::advance(sys_millis now) {
  if (now < next_round_) return;
  next_round_ = std::chrono::floor<std::chrono::minutes>(now) + kRound;
  for (auto& [name, alarm] : alarms_) evaluate(alarm, now);
}

void CloudWatch::clear() {
  alarms_.clear();
  metrics_.clear();
}

std::string CloudWatch::alarms_json() const {
  json::Writer out;
  out.begin_array();
  for (const auto& [name, alarm] : alarms_) write_alarm(out, alarm);
  out.end_array();
  return out.take();
}

Answer<std::string> CloudWatch::put_alarm(Value given, sys_millis now) {
  auto alarm = alarm_from(given, home_, now);
  if (!alarm) return std::unexpected(alarm.error());
  const std::string name = alarm->name;
  if (const auto found = alarms_.find(name); found != alarms_.end()) {
    const Alarm& old = found->second;
    alarm->state = old.state;
    alarm->reason = old.reason;
    alarm->reason_data = old.reason_data;
    alarm->updated = old.updated;
    alarm->transitioned = old.transitioned;
  }
  evaluate(alarms_.insert_or_assign(name, std::move(*alarm)).first->second, now);
  return "";
}

// Names that are not there do no harm.
Answer<std::string> CloudWatch::delete_alarms(Value given) {
  for (const Value name : given.find_present("AlarmNames")->elements())
    alarms_.erase(std::string(name.as_string()));
  return "";
}

Answer<std::string> CloudWatch::describe_alarms(Value given) const {
  if (input::has(given, "AlarmNames") && input::has(given, "AlarmNamePrefix"))
    return metric_error("Cannot specify both AlarmNames and AlarmNamePrefix");
  const auto after = after_token(input::text(given, "NextToken"));
  if (!after) return std::unexpected(after.error());
  const std::int64_t most = input::integer(given, "MaxRecords", kAlarmsPerPage);
  json::Writer out;
  out.begin_object().key("MetricAlarms").begin_array();
  std::int64_t count = 0;
  std::string_view last;
  bool more = false;
  const std::string prefix(input::text(given, "AlarmNamePrefix"));
  auto at = *after < prefix ? alarms_.lower_bound(prefix) : alarms_.upper_bound(*after);
  for (; at != alarms_.end() && at->first.starts_with(prefix) && !more; ++at) {
    if (!wanted(at->second, given)) continue;
    more = count == most;
    if (more) break;
    write_alarm(out, at->second);
    last = at->first;
    ++count;
  }
  out.end_array().key("CompositeAlarms").begin_array().end_array();
  if (more) out.member("NextToken", hex(last));
  out.end_object();
  return out.take();
}

Answer<std::string> CloudWatch::set_state(Value given, sys_millis now) {
  const auto found = alarms_.find(input::text(given, "AlarmName"));
  if (found == alarms_.end()) return refuse(404, "ResourceNotFound", "");
  const std::string_view data = input::text(given, "StateReasonData");
  if (!data.empty())
    if (const auto parsed = json::Document::parse(data); !parsed)
      return refuse(400, "InvalidFormat", "StateReasonData must be valid JSON.");
  enter(found->second, state_of(input::text(given, "StateValue")),
        std::string(input::text(given, "StateReason")), std::string(data), now);
  return "";
}

Answer<std::string> CloudWatch::put_data(Value given, sys_millis now) {
  const std::string_view space = input::text(given, "Namespace");
  if (space.starts_with("AWS/"))
    return refuse(400, "InvalidParameterValue",
                  fmt::format("The value {} for parameter Namespace is invalid.", space));
  const auto data = given.find_present("MetricData");
  if (!data || data->size() == 0)
    return refuse(400, "MissingParameter", "The parameter MetricData is required.");
  if (data->size() > kMaxData)
    return refuse(400, "InvalidParameterValue",
                  "The collection MetricData must not have a size greater than 1000.");
  struct Put {
    MetricKey key;
    sys_millis at;
    std::vector<Sample> samples;
  };
  std::vector<Put> puts;  // all or nothing
  for (const Value datum : data->elements()) {
    const std::string where = fmt::format("MetricData.member.{}", puts.size() + 1);
    auto samples = samples_from(datum, where);
    if (!samples) return std::unexpected(samples.error());
    const auto at = time_of(datum, where, now);
    if (!at) return std::unexpected(at.error());
    MetricKey key = metric_key(datum);
    key.name_space = space;
    puts.push_back({std::move(key), *at, std::move(*samples)});
  }
  for (Put& put : puts)
    for (Sample& sample : put.samples) metrics_.add(put.key, put.at, std::move(sample));
  for (auto& [name, alarm] : alarms_)
    if (std::any_of(puts.begin(), puts.end(),
                    [&alarm](const Put& put) { return watches(alarm, put.key); }))
      evaluate(alarm, now);
  return "";
}

void CloudWatch::evaluate(Alarm& alarm, sys_millis now) {
  const auto verdict = evaluate_alarm(alarm.rule, datapoints_of(alarm, metrics_, now), alarm.state);
  if (!verdict || verdict->state == alarm.state) return;
  enter(alarm, verdict->state, verdict->reason, reason_data(alarm, *verdict, now), now);
}

void CloudWatch::enter(Alarm& alarm, AlarmState state, std::string reason, std::string data,
                       sys_millis now) {
  const AlarmState before = std::exchange(alarm.state, state);
  alarm.reason = std::move(reason);
  alarm.reason_data = std::move(data);
  alarm.updated = now;
  if (before == state) return;
  alarm.transitioned = now;
  for (const std::string& action : actions_of(alarm, state))
    acts_({.action = action,
           .subject = alarm_subject(alarm, home_),
           .message = alarm_message(alarm, before, home_)},
          now);
}

}  // namespace trainwarden::localaws
