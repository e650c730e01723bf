#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "handlers/actions/context/bounded.h"
#include "handlers/actions/sweep/sweep.h"

namespace trainwarden::actions {
namespace {

void write_texts(json::Sink& sink, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  sink.key(name).begin_array();
  for (const std::string& text : texts) sink.string(shown(text));
  sink.end_array();
}

}  // namespace

std::optional<Error> SweepReport::failure() const {
  if (held_back == 0 && held_copies == 0) return census_error;
  std::string message;
  if (held_back > 0)
    message = fmt::format(
        "{} jobs would be stopped, and limits.stops_per_sweep is {}: they are held back. If the "
        "policy is right, raise the limit; among the jobs is {}",
        held_back, limit, examples.empty() ? "?" : examples.front());
  if (held_copies > 0)
    message += fmt::format(
        "{}{} jobs that ended would be copied, which nothing decided on at their end, and "
        "limits.stops_per_sweep is {}: none was. Look for events that were lost, or failed until "
        "they were dropped; `trainwarden restart` runs one job again, a higher limit all of them; "
        "among the jobs is {}",
        message.empty() ? "" : "; ", held_copies, limit,
        copy_examples.empty() ? "?" : copy_examples.front());
  return Error{ErrorCode::kLimitExceeded, std::move(message)};
}

std::size_t SweepReport::work_left() const {
  return to_look_at - std::min(looked_at, to_look_at) + left + unreached + cut_lists + too_large;
}

json::Document SweepReport::to_json() const {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("trigger", rules::name(rules::Trigger::kSweep));
    sink.key("alarms").begin_object();
    sink.member("seen", alarms)
        .member("in_alarm", in_alarm)
        .member("orphans", orphans)
        .member("put", put)
        .member("left", left);
    if (foreign > 0) sink.member("foreign", foreign);
    sink.end_object();
    sink.key("jobs").begin_object();
    sink.member("running", running).member("ended", ended).member("to_look_at", to_look_at);
    sink.member("looked_at", looked_at).member("failed", failed).member("would_act", would_act);
    sink.member("measured", measured);
    sink.member("due", due).member("in_turn", queued);
    sink.end_object();
    sink.member("complete", !incomplete);
    if (const std::size_t to_do = work_left(); to_do > 0) sink.member("left", to_do);
    if (held_back > 0) {
      sink.key("held_back").begin_object().member("jobs", held_back).member("limit", limit);
      write_texts(sink, "examples", examples);
      sink.end_object();
    }
    if (held_copies > 0) {
      sink.key("held_copies").begin_object().member("jobs", held_copies).member("limit", limit);
      write_texts(sink, "examples", copy_examples);
      sink.end_object();
    }
    write_texts(sink, "errors", errors);
    write_calls(sink, calls);
    sink.member("policy", policy_hash).end_object();
  });
}

}  // namespace trainwarden::actions
