#include "handlers/alarm/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "awsapi/credentials.h"
#include "handlers/alarm/event.h"
#include "handlers/rules/alarm_name.h"
#include "handlers/rules/source.h"

namespace trainwarden::alarm {
namespace {

// Why a message is none of our business (W4, W5); empty where it is.
std::string foreign(const SnsRecord& record, const actions::Config& config,
                    std::string_view region) {
  const AlarmMessage& message = *record.message;
  if (!config.alarm_topic.empty() && record.topic_arn != config.alarm_topic)
    return fmt::format("foreign topic: expected {}", config.alarm_topic);
  if (!rules::AlarmName::parse(message.alarm))
    return "foreign alarm: its name is not trainwarden/<job>/<watch>";
  if (message.region != region) return fmt::format("foreign region: expected {}", region);
  if (message.new_state != "ALARM")
    return fmt::format("state {}: nothing to do", message.new_state);
  return {};
}

void write(json::Sink& sink, const SnsRecord& record, std::string_view ignored) {
  sink.begin_object().member("message_id", record.message_id);
  if (!record.message) {
    sink.member("result", "ignored").member("reason", record.message.error().message).end_object();
    return;
  }
  const AlarmMessage& message = *record.message;
  sink.member("alarm", message.alarm);
  if (const auto ours = rules::AlarmName::parse(message.alarm)) {
    sink.member("job", ours->job).member("watch", ours->watch);
    if (ours->part > 0) sink.member("part", ours->part);
  }
  sink.member("state", message.new_state);
  if (!message.old_state.empty()) sink.member("old_state", message.old_state);
  if (ignored.empty())
    sink.member("result", "seen");
  else
    sink.member("result", "ignored").member("reason", ignored);
  sink.end_object();
}

}  // namespace

Result<AlarmFunction> AlarmFunction::start(const Environment& environment) {
  TRY(actions::Config config, actions::Config::from(environment));
  TRY(std::string region, aws::region_from(environment));
  return AlarmFunction(std::move(config), std::move(region));
}

Result<std::string> AlarmFunction::handle(const lambda::Context& context) const {
  TRY(const auto records, parse_alarm_event(context.invocation.payload));
  const json::Document document = json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("trigger", rules::name(rules::Trigger::kAlarm));
    sink.key("messages").begin_array();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const SnsRecord& record = records[i];
      const auto twin =
          std::ranges::find(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(i),
                            record.message_id, &SnsRecord::message_id);
      const bool repeated =
          !record.message_id.empty() && twin < records.begin() + static_cast<std::ptrdiff_t>(i);
      if (repeated)
        write(sink, record, "duplicate of a message before it");
      else
        write(sink, record, record.message ? foreign(record, config_, region_) : std::string());
    }
    sink.end_array().end_object();
  });
  context.log.record(lambda::Level::kInfo, "alarm messages", "record", document.root());
  return json::to_text(document.root());
}

}  // namespace trainwarden::alarm
