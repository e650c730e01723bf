#include "handlers/alarm/alarm_event.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/arn.h"
#include "runtime/lambda/api.h"

namespace trainwarden::alarm {
namespace {

Result<json::Document> parse_bounded(std::string_view text) {
  return json::Document::parse(text, json::Syntax::kStrict, lambda::kMaxPayloadValues);
}

Result<std::string> text_member(json::Value object, std::string_view name, std::string_view where) {
  TRY(const json::Value value, object.member(name, where));
  TRY(const std::string_view found, value.string(fmt::format("{}.{}", where, name)));
  return std::string(found);
}

// arn:aws:cloudwatch:<region>:<account>:alarm:<name>
Result<void> read_arn(std::string_view arn, AlarmMessage& alarm) {
  constexpr std::string_view kAlarm = "alarm:";
  const std::string_view resource = arn_field(arn, ArnField::kResource);
  alarm.region = arn_field(arn, ArnField::kRegion);
  alarm.arn_account = arn_field(arn, ArnField::kAccount);
  if (arn_field(arn, ArnField::kArn) != "arn" ||
      arn_field(arn, ArnField::kService) != "cloudwatch" || alarm.region.empty() ||
      alarm.arn_account.empty() || !resource.starts_with(kAlarm))
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("`Message.AlarmArn`: expected an alarm's ARN, found `{}`", arn.substr(0, 80)));
  alarm.arn_alarm = resource.substr(kAlarm.size());
  return {};
}

Result<AlarmMessage> parse_message(std::string_view message) {
  auto parsed = parse_bounded(message);
  if (!parsed) return fail(std::move(parsed).error().in("`Message`"));
  const json::Value root = parsed->root();
  if (!root.is_object())
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`Message`: expected an alarm, found {}", json::describe(root.type())));
  AlarmMessage alarm;
  TRY(alarm.alarm, text_member(root, "AlarmName", "Message"));
  TRY(alarm.account, text_member(root, "AWSAccountId", "Message"));
  TRY(const std::string arn, text_member(root, "AlarmArn", "Message"));
  CHECK_OK(read_arn(arn, alarm));
  TRY(alarm.new_state, text_member(root, "NewStateValue", "Message"));
  if (const auto old_state = root.find_present("OldStateValue");
      old_state && old_state->is_string())
    alarm.old_state = old_state->as_string();
  const auto trigger = root.find_present("Trigger");
  alarm.composite = !trigger || !trigger->is_object();
  return alarm;
}

SnsRecord parse_record(json::Value record, std::string_view where) {
  SnsRecord parsed{{}, {}, fail(ErrorCode::kInvalidInput, "")};
  const auto sns = record.find_present("Sns");
  if (!sns || !sns->is_object()) {
    parsed.message =
        fail(ErrorCode::kInvalidInput, fmt::format("`{}.Sns`: expected an object", where));
    return parsed;
  }
  const std::string path = fmt::format("{}.Sns", where);
  if (auto id = text_member(*sns, "MessageId", path)) parsed.message_id = *std::move(id);
  if (auto topic = text_member(*sns, "TopicArn", path)) parsed.topic_arn = *std::move(topic);
  if (const auto sent = text_member(*sns, "Timestamp", path))
    if (const auto time = parse_rfc3339(*sent)) parsed.time = *time;
  auto message = text_member(*sns, "Message", path);
  parsed.message = message ? parse_message(*message) : Result<AlarmMessage>(fail(message.error()));
  return parsed;
}

}  // namespace

Result<SnsRecords> SnsRecords::parse(std::string_view payload) {
  TRY(json::Document document, parse_bounded(payload));
  const json::Value event = document.root();
  if (!event.is_object())
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected an SNS event, found {}", json::describe(event.type())));
  TRY(const json::Value records, event.member("Records", ""));
  CHECK_OK(records.array("Records"));
  const json::Elements elements = records.elements();
  return SnsRecords(std::move(document), elements);
}

std::optional<SnsRecord> SnsRecords::next() {
  if (at_ == end_) return std::nullopt;
  const json::Value record = *at_;
  ++at_;
  return parse_record(record, fmt::format("Records[{}]", taken_++));
}

}  // namespace trainwarden::alarm
