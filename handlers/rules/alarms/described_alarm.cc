#include "handlers/rules/alarms/described_alarm.h"

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/members.h"

namespace trainwarden::rules {

DescribedAlarm read_alarm(json::Value alarm, std::string_view prefix) {
  DescribedAlarm out;
  out.text = string_of(alarm, "AlarmName").value_or("");
  out.name = AlarmName::parse(out.text, prefix);
  out.in_alarm = string_of(alarm, "StateValue") == kInAlarm;
  // StateUpdatedTimestamp moves with each new reason too.
  out.state_since =
      time_of(alarm, alarm.find_present("StateTransitionedTimestamp") ? "StateTransitionedTimestamp"
                                                                      : "StateUpdatedTimestamp");
  return out;
}

Maker maker_of(json::Value alarm, std::string_view topic) {
  if (topic.empty() || !string_of(alarm, "AlarmDescription").value_or("").ends_with(kMadeByUs))
    return Maker::kSomebody;
  const auto actions = alarm.find_present("AlarmActions");
  if (!actions || actions->size() == 0) return Maker::kSilent;
  for (const json::Value action : actions->elements())
    if (!topic.empty() && action.is_string() && action.as_string() == topic)
      return Maker::kThisStack;
  return Maker::kAnotherStack;
}

}  // namespace trainwarden::rules
