// The alarm function's event: SNS records that carry CloudWatch's alarm messages. Old and new
// payloads, single-metric, metric-math and composite alarms, and things that are no alarm at all
// come this way; one bad record does not spoil the others (policy.md W5). Source:
// https://docs.aws.amazon.com/sns/latest/dg/lambda-console.html (the envelope)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::alarm {

struct AlarmMessage {
  std::string alarm;  // the whole name
  std::string account;
  std::string region;  // from AlarmArn: Region is a display name such as "Asia Pacific (Singapore)"
  std::string new_state;
  std::string old_state;
};

struct SnsRecord {
  std::string message_id;
  std::string topic_arn;
  Result<AlarmMessage> message;
};

// kInvalidInput where the payload is no SNS event at all; what is wrong with one record is in it.
Result<std::vector<SnsRecord>> parse_alarm_event(std::string_view payload);

}  // namespace trainwarden::alarm
