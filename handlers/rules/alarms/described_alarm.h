// What DescribeAlarms says of an alarm besides its definition (alarm_definition.h): its owner and
// its state. https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricAlarm.html
#pragma once

#include <cstdint>
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

DescribedAlarm read_alarm(json::Value alarm, std::string_view prefix = kAlarmPrefix);

// Who seems to have made an alarm. People can create alarms that look like any of these, so this
// may decide nothing but whether an alarm is deleted.
enum class Maker : std::uint8_t {
  kSomebody,
  kThisStack,     // it is described as ours, and calls our topic
  kAnotherStack,  // it is described as ours, and calls other topics only
  kSilent,        // it is described as ours, and has no actions: one of a watch's further alarms
};
// kSomebody if we have no topic to compare with.
Maker maker_of(json::Value alarm, std::string_view topic);

// How the descriptions of alarms that Trainwarden made end. It is kept in CloudWatch: alarms of a
// version that words it otherwise would stand for good.
inline constexpr std::string_view kMadeByUs =
    "Made by Trainwarden, and deleted by it when the job has ended.";

}  // namespace trainwarden::rules
