// The alarm function's event: SNS records that carry CloudWatch's alarm messages. They may be old
// or new payloads of single-metric, metric-math and composite alarms, or no alarm at all. One bad
// record does not spoil the others (policy.md W5). Only the alarm's identity and state are read
// from a message: metrics are measured again.
// Sources: https://docs.aws.amazon.com/sns/latest/dg/lambda-console.html (the envelope)
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::alarm {

struct AlarmMessage {
  std::string alarm;  // the whole name
  std::string account;
  // From AlarmArn. Region in the message is a display name such as "Asia Pacific (Singapore)".
  std::string region;
  std::string arn_account;
  std::string arn_alarm;
  std::string new_state;
  std::string old_state;
  bool composite = false;  // no Trigger: it combines other alarms
};

struct SnsRecord {
  std::string message_id;
  std::string topic_arn;
  Result<AlarmMessage> message;
  std::optional<sys_seconds> time = {};  // when published, by the record
};

// The records of an event, read one by one: a payload may hold as many as it has bytes for.
class SnsRecords {
 public:
  // kInvalidInput if the payload is no SNS event at all. A mistake in one record is stored in that
  // record.
  static Result<SnsRecords> parse(std::string_view payload);

  // The next one; nullopt behind the last.
  std::optional<SnsRecord> next();

 private:
  explicit SnsRecords(json::Document document, json::Elements records)
      : document_(std::move(document)), at_(records.begin()), end_(records.end()) {}

  json::Document document_;
  json::Elements::Iterator at_;
  json::Elements::Iterator end_;
  std::size_t taken_ = 0;
};

}  // namespace trainwarden::alarm
