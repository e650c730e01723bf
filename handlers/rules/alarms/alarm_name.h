// How alarms are named: `<prefix>/<job>/<watch>`, or `<prefix>/<job>/<watch>/<n>` where one watch
// needs several. Each stack has its own prefix (TRAINWARDEN_ALARM_PREFIX, `trainwarden` by
// default). Neither it nor a job's name contains a slash, so a name parses in one way only. An
// alarm with any other name is not ours, and nothing here touches it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

inline constexpr std::string_view kAlarmPrefix = "trainwarden";

// 1 to 64 of a-z, A-Z, 0-9, `_`, `.` and `-`, a letter or a digit first.
bool is_alarm_prefix(std::string_view text);

struct AlarmName {
  std::string job;    // a valid training job name
  std::string watch;  // a valid watch name
  int part = 0;       // n, or 0 where the watch has one alarm
  std::string prefix = std::string(kAlarmPrefix);

  // nullopt for an alarm that is not ours. str() of the result is the same name.
  static std::optional<AlarmName> parse(std::string_view name,
                                        std::string_view prefix = kAlarmPrefix);
  // At most 255 characters, CloudWatch's limit: 64 + 1 + 63 + 1 + 63, and a number.
  std::string str() const;

  bool operator==(const AlarmName&) const = default;
};

// The prefix of all names of a job's alarms, and of no others: `<prefix>/<job>/`.
std::string alarm_prefix(std::string_view job, std::string_view prefix = kAlarmPrefix);

}  // namespace trainwarden::rules
