#include "handlers/rules/alarms/described_alarm.h"

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/members.h"

namespace trainwarden::rules {
namespace {

bool drop_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

}  // namespace

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

AlarmText read_description(std::string_view text) {
  std::string_view definition = text;
  const bool has_token = drop_ending(definition, kMadeByUs);
  const bool has_sentence = drop_ending(definition, kMadeByUsSentence);
  return {definition, has_token || has_sentence};
}

Maker maker_of(json::Value alarm, std::string_view topic) {
  if (topic.empty() ||
      !read_description(string_of(alarm, "AlarmDescription").value_or("")).says_ours)
    return Maker::kSomebody;
  const auto actions = alarm.find_present("AlarmActions");
  if (!actions || actions->size() == 0) return Maker::kSilent;
  for (const json::Value action : actions->elements())
    if (!topic.empty() && action.is_string() && action.as_string() == topic)
      return Maker::kThisStack;
  return Maker::kAnotherStack;
}

}  // namespace trainwarden::rules
