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
// version that ends them otherwise would stand for good.
inline constexpr std::string_view kMadeByUs = " [trainwarden]";
// What stands before that, for people. Older versions ended with it, so it tells of an alarm of
// theirs. Never change it: read_description() would find all alarms that stand to be defined
// otherwise.
inline constexpr std::string_view kMadeByUsSentence =
    "Made by Trainwarden, and deleted by it when the job has ended.";

// An AlarmDescription. Points into the text.
struct AlarmText {
  std::string_view definition;  // without what says whose it is: alike in all versions
  bool says_ours = false;
};
AlarmText read_description(std::string_view text);

}  // namespace trainwarden::rules
