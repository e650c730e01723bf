#include "handlers/rules/alarms/described_alarm.h"

#include "handlers/rules/job/members.h"

namespace trainwarden::rules {

DescribedAlarm read_alarm(json::Value alarm) {
  DescribedAlarm out;
  out.text = string_of(alarm, "AlarmName").value_or("");
  out.name = AlarmName::parse(out.text);
  out.in_alarm = string_of(alarm, "StateValue") == "ALARM";
  // StateUpdatedTimestamp moves with each new reason too.
  out.state_since =
      time_of(alarm, alarm.find_present("StateTransitionedTimestamp") ? "StateTransitionedTimestamp"
                                                                      : "StateUpdatedTimestamp");
  return out;
}

}  // namespace trainwarden::rules
