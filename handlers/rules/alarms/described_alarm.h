// What DescribeAlarms says of an alarm beside its definition (alarm_definition.h): whose it is, and
// its state.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricAlarm.html
#pragma once

#include <optional>
#include <string_view>

#include "handlers/rules/alarms/alarm_name.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Points into the document.
struct DescribedAlarm {
  std::string_view text;          // AlarmName
  std::optional<AlarmName> name;  // where the alarm is one of ours
  bool in_alarm = false;
  std::optional<sys_seconds> state_since;
};

DescribedAlarm read_alarm(json::Value alarm);

}  // namespace trainwarden::rules
