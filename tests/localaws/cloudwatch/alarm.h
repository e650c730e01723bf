// A metric alarm: its definition as PutMetricAlarm gave it, its state, and the texts about it:
// DescribeAlarms' entry and the message that its actions publish.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/cloudwatch/alarm_evaluator.h"
#include "tests/localaws/cloudwatch/metric_data_query.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct Alarm {
  std::string name;
  std::string arn;
  json::Document definition;         // the request
  std::vector<MetricQuery> queries;  // of a plain metric alarm: one
  AlarmRule rule;
  std::chrono::seconds period;
  AlarmState state = AlarmState::kInsufficientData;
  std::string reason = "Unchecked: Initial alarm creation";
  std::string reason_data;
  sys_millis configured;
  sys_millis updated;       // StateUpdatedTimestamp
  sys_millis transitioned;  // the last change of the value
};

// Which alarms and actions belong here.
struct Home {
  std::string region;
  std::string account;
};

// An alarm from a request that is valid by its shape; members that exclude, need or bound each
// other are checked here, with CloudWatch's texts where they are known.
Answer<Alarm> alarm_from(json::Value request, const Home& home, sys_millis now);

// The ARNs that a state's actions name; empty where actions are off.
std::vector<std::string> actions_of(const Alarm& alarm, AlarmState state);

// The datapoints of the evaluation range at now, newest first. Periods end at full minutes (of
// shorter periods: at full ones; where all are longer than a day: at full hours).
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
std::vector<Datapoint> datapoints_of(const Alarm& alarm, const MetricStore& store, sys_millis now);

void write_alarm(json::Sink& out, const Alarm& alarm);
// Of a change from `before` to the state that the alarm has now.
std::string alarm_message(const Alarm& alarm, AlarmState before, const Home& home);
std::string alarm_subject(const Alarm& alarm, const Home& home);

}  // namespace trainwarden::localaws
