#include "handlers/alarm/ignored.h"

#include <fmt/core.h>

namespace trainwarden::alarm {

using Why = Ignored::Why;

std::string_view code(Why why) {
  switch (why) {
    case Why::kDuplicate:
      return "duplicate";
    case Why::kSameWatch:
      return "same-watch";
    case Why::kNoAlarm:
      return "no-alarm";
    case Why::kForeignTopic:
      return "foreign-topic";
    case Why::kForeignAlarm:
      return "foreign-alarm";
    case Why::kForeignRegion:
      return "foreign-region";
    case Why::kAccountsDiffer:
      return "accounts-differ";
    case Why::kForeignAccount:
      return "foreign-account";
    case Why::kOtherAlarmInArn:
      return "other-alarm-in-arn";
    case Why::kComposite:
      return "composite";
    case Why::kOtherState:
      return "other-state";
  }
  return "";
}

std::string text(const Ignored& ignored) {
  switch (ignored.why) {
    case Why::kDuplicate:
      return "duplicate of a message before it";
    case Why::kSameWatch:
      return "duplicate: that watch of that job was looked at for a message before it";
    case Why::kNoAlarm:
      return ignored.detail;
    case Why::kForeignTopic:
      return fmt::format("foreign topic: expected {}", ignored.detail);
    case Why::kForeignAlarm:
      return fmt::format("foreign alarm: its name is not {}/<job>/<watch>", ignored.detail);
    case Why::kForeignRegion:
      return fmt::format("foreign region: expected {}", ignored.detail);
    case Why::kAccountsDiffer:
      return "foreign account: AlarmArn, AWSAccountId and the topic must have the same";
    case Why::kForeignAccount:
      return fmt::format("foreign account: expected {}, where this function runs", ignored.detail);
    case Why::kOtherAlarmInArn:
      return "foreign alarm: AlarmArn names another one";
    case Why::kComposite:
      return "composite alarm: it has no Trigger";
    case Why::kOtherState:
      return fmt::format("state {}: nothing to do", ignored.detail);
  }
  return {};
}

}  // namespace trainwarden::alarm
