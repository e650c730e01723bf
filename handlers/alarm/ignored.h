// Why the alarm function does nothing about a message (policy.md W4, W5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainwarden::alarm {

struct Ignored {
  enum class Why : std::uint8_t {
    kDuplicate,        // SNS delivered it twice in one batch
    kSameWatch,        // another message of that watch and job came before it
    kNoAlarm,          // it is no message of an alarm; detail: what was found
    kForeignTopic,     // detail: the topic that was expected
    kForeignAlarm,     // its name is not one of ours; detail: our prefix
    kForeignRegion,    // detail: the region that was expected
    kAccountsDiffer,   // AlarmArn, AWSAccountId and the topic name several
    kForeignAccount,   // detail: the account that was expected
    kOtherAlarmInArn,  // AlarmArn names another alarm
    kComposite,        // it combines other alarms
    kOtherState,       // it is not in ALARM; detail: its state
  };
  static constexpr Why kLast = Why::kOtherState;

  Why why;
  std::string detail = {};
};

// For programs; none changes (policy.md R1): "duplicate", "foreign-topic"
std::string_view code(Ignored::Why why);

// For people: "foreign region: expected eu-central-1"
std::string text(const Ignored& ignored);

}  // namespace trainwarden::alarm
