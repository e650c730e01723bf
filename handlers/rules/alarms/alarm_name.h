// How alarms are named: `trainwarden/<job>/<watch>`, or `trainwarden/<job>/<watch>/<n>` where one
// watch needs several. Job names hold no slash, so that a name reads one way only. An alarm with
// any other name is not ours, and nothing here touches it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

struct AlarmName {
  std::string job;    // a valid training job name
  std::string watch;  // a valid watch name
  int part = 0;       // n, or 0 where the watch has one alarm

  // nullopt for an alarm that is not ours. What it takes, str() gives back.
  static std::optional<AlarmName> parse(std::string_view name);
  // At most 255 characters, CloudWatch's limit: 12 + 63 + 1 + 63, and a number.
  std::string str() const;

  bool operator==(const AlarmName&) const = default;
};

// What all names of a job's alarms, and no others, begin with: `trainwarden/<job>/`.
std::string alarm_prefix(std::string_view job);

}  // namespace trainwarden::rules
