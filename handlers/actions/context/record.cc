#include "handlers/actions/context/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/context/bounded.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/json/one_line.h"

namespace trainwarden::actions {
namespace {

struct ConclusionNames {
  std::string_view name;
  std::string_view code;
};
// In the order of Conclusion.
constexpr std::array<ConclusionNames, std::to_underlying(kLastConclusion) + 1> kConclusions = {
    {{"decided", "decided"},
     {"gone", "gone"},
     {"namesake", "namesake"},
     {"not confirmed", "not-confirmed"},
     {"alarms of a job that does not run", "orphaned-alarms"},
     {"alarms of watches that left the policy", "unasked-alarms"}}};
static_assert(!kConclusions.back().code.empty());

void write(json::Sink& sink, const ActionOutcome& outcome) {
  sink.begin_object()
      .member("action", rules::name(outcome.action))
      .member("result", shown(rules::text(outcome.result)))
      .member("code", rules::code(outcome.result.kind));
  if (outcome.result.reason) sink.member("reason_code", rules::code(outcome.result.reason->why));
  if (outcome.error) sink.member("error", shown(outcome.error->message));
  if (!outcome.note.empty()) sink.member("note", shown(outcome.note));
  if (outcome.saved_usd) sink.member("saved_usd", *outcome.saved_usd);
  if (const auto& tuner = outcome.result.tuner) {
    sink.key("tuning_job").begin_object().member("name", tuner->name);
    if (tuner->running) sink.member("running", *tuner->running);
    sink.end_object();
  }
  sink.end_object();
}

void write(json::Sink& sink, const rules::Because& because) {
  rules::write_because(sink, because, shown);
}

void write(json::Sink& sink, const std::string& text) { sink.string(shown(text)); }

void write(json::Sink& sink, const DecisionOutcome& outcome);
void write(json::Sink& sink, const PendingNotice& pending);
void write(json::Sink& sink, const rules::Dropped& dropped);
void write(json::Sink& sink, const rules::Skipped& skipped);
void write(json::Sink& sink, const rules::OpenIntent& intent);
void write(json::Sink& sink, const aws::CallMade& call);

// For each list, how many items were left out for lack of room.
using LeftOut = std::vector<std::pair<std::string_view, std::size_t>>;

// The most bytes that an item can take in the record.
template <class T>
std::size_t most_bytes(const T& item) {
  return size_in_line([&item](json::Sink& counter) { write(counter, item); });
}

// The same for a call, bounded by the lengths of its texts, since there are many calls.
std::size_t most_bytes(const aws::CallMade& call) {
  constexpr std::size_t kPlain = 200;
  constexpr std::size_t kLongestEscape = 6;
  const auto room = [](std::string_view text) {
    return kLongestEscape * std::min(text.size(), kLongestShown + 3);
  };
  return kPlain + room(call.outcome) + room(call.target);
}

// Writes the list up to that many bytes.
template <class T>
void write_list(json::Sink& sink, std::string_view name, const std::vector<T>& items,
                std::size_t room, LeftOut& left_out) {
  sink.key(name).begin_array();
  std::size_t written = 0;
  for (const T& item : items) {
    const std::size_t size = most_bytes(item);
    if (size > room) break;
    room -= size;
    write(sink, item);
    ++written;
  }
  sink.end_array();
  if (written < items.size()) left_out.emplace_back(name, items.size() - written);
}

void write(json::Sink& sink, const LeftOut& left_out) {
  if (left_out.empty()) return;
  sink.key("left_out").begin_object();
  for (const auto& [name, count] : left_out) sink.member(name, count);
  sink.end_object();
}

// The shares of a record's bytes.
constexpr std::size_t kRoomOfDecisions = kLongestRecord * 45 / 100;
constexpr std::size_t kRoomOfDecision = kLongestRecord * 20 / 100;
constexpr std::size_t kRoomOfCalls = kLongestRecord * 20 / 100;
constexpr std::size_t kRoomOfOthers = kLongestRecord * 4 / 100;

void write(json::Sink& sink, const AlarmChanges& alarms, std::size_t room) {
  if (alarms.empty() && !alarms.error) return;
  LeftOut left_out;
  sink.key("alarms").begin_object();
  const auto list = [&](std::string_view name, const std::vector<std::string>& names) {
    if (!names.empty()) write_list(sink, name, names, room, left_out);
  };
  list("created", alarms.created);
  list("deleted", alarms.deleted);
  list("reset", alarms.reset);
  list("left_to_sweep", alarms.left);
  if (alarms.error) sink.member("error", shown(alarms.error->message));
  write(sink, left_out);
  sink.end_object();
}

void write(json::Sink& sink, const DecisionOutcome& outcome) {
  const rules::Decision& decision = outcome.decision;
  LeftOut left_out;
  sink.begin_object().member("rule", decision.rule).member("mode", rules::name(decision.mode));
  if (!decision.message.empty()) sink.member("message", shown(decision.message));
  write_list(sink, "because", decision.because, kRoomOfDecision / 2, left_out);
  write_list(sink, "actions", outcome.actions, kRoomOfDecision / 2, left_out);
  write(sink, left_out);
  sink.end_object();
}

void write(json::Sink& sink, const PendingNotice& pending) {
  sink.begin_object().member("rule", pending.rule);
  write(sink.key("outcome"), pending.outcome);
  sink.end_object();
}

void write(json::Sink& sink, const rules::Dropped& dropped) {
  sink.begin_object()
      .member("rule", dropped.rule)
      .member("action", rules::name(dropped.action))
      .member("reason", shown(rules::text(dropped.reason)))
      .member("code", rules::code(dropped.reason.why))
      .end_object();
}

void write(json::Sink& sink, const rules::Skipped& skipped) {
  sink.begin_object()
      .member("rule", skipped.rule)
      .member("unavailable", skipped.sources.names())
      .key("unavailable_sources")
      .begin_array();
  for (const rules::Source source : skipped.sources) sink.string(rules::name(source));
  sink.end_array()
      .member("error", shown(rules::text(skipped)))
      .member("comes_again", skipped.comes_again)
      .end_object();
}

void write(json::Sink& sink, const aws::CallMade& call) {
  sink.begin_object()
      .member("service", call.service)
      .member("operation", call.operation)
      .member("attempts", call.attempts)
      .member("outcome", shown(call.outcome));
  if (!call.target.empty()) sink.member("target", shown(call.target));
  if (call.at != sys_millis())
    sink.member("at", rfc3339(call.at)).member("took_ms", call.took.count());
  sink.end_object();
}

std::string_view name(rules::OpenIntent::Kind kind) {
  using Kind = rules::OpenIntent::Kind;
  switch (kind) {
    case Kind::kStop:
      return "stop";
    case Kind::kRestart:
      return "restart";
    case Kind::kCopy:
      return "copy";
    case Kind::kNotice:
      return "notice";
    case Kind::kGrace:
      return "announced-stop";
  }
  return "";
}

void write(json::Sink& sink, const rules::OpenIntent& intent) {
  sink.begin_object().member("intent", name(intent.kind));
  if (!intent.rule.empty()) sink.member("rule", intent.rule);
  sink.member("since", rfc3339(intent.since));
  if (intent.until) sink.member("until", rfc3339(*intent.until));
  sink.member("why", shown(rules::text(intent.why)))
      .member("code", rules::code(intent.why.why))
      .end_object();
}

void write(json::Sink& sink, const EventClaim& event) {
  sink.begin_object();
  const auto maybe = [&sink](std::string_view member, const std::string& text) {
    if (!text.empty()) sink.member(member, shown(text));
  };
  maybe("id", event.id);
  if (event.time) sink.member("time", rfc3339(*event.time));
  maybe("status", event.status);
  if (event.created) sink.member("created", rfc3339(*event.created));
  maybe("alarm", event.alarm);
  maybe("state", event.state);
  sink.end_object();
}

}  // namespace

std::string_view name(Conclusion conclusion) {
  return kConclusions[std::to_underlying(conclusion)].name;
}

std::string_view code(Conclusion conclusion) {
  return kConclusions[std::to_underlying(conclusion)].code;
}

std::optional<Error> Record::failure() const {
  if (error) return Error(*error).in(fmt::format("job {}", job));
  for (const DecisionOutcome& outcome : decisions)
    for (const ActionOutcome& action : outcome.actions)
      if (action.error) {
        Error error = *action.error;
        return std::move(error).in(fmt::format("job {}: rule {}: {}", job, outcome.decision.rule,
                                               rules::name(action.action)));
      }
  if (left_over.error)
    return Error(*left_over.error).in(fmt::format("job {}: alarms were not deleted", job));
  if (restart && restart->error) {
    Error error = *restart->error;
    return std::move(error).in(fmt::format("job {}: restart", job));
  }
  for (const PendingNotice& pending : pending_notices)
    if (pending.outcome.error)
      return Error(*pending.outcome.error).in(fmt::format("job {}: a pending notice", job));
  const auto lost = std::ranges::find(skipped, true, &rules::Skipped::comes_again);
  if (lost == skipped.end()) return std::nullopt;
  return Error{ErrorCode::kUnavailable, fmt::format("job {}: rule {} could not be decided: {}", job,
                                                    lost->rule, rules::text(*lost))};
}

const rules::Reason* Record::unconfirmed() const {
  return measurement ? std::get_if<rules::Reason>(measurement.get()) : nullptr;
}

AlarmChanges Record::alarms() const {
  AlarmChanges all = left_over;
  const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const DecisionOutcome& outcome : decisions)
    for (const ActionOutcome& action : outcome.actions) {
      add(all.created, action.alarms.created);
      add(all.deleted, action.alarms.deleted);
      add(all.reset, action.alarms.reset);
      add(all.left, action.alarms.left);
    }
  return all;
}

std::optional<EventClaim> claim_of(const rules::JobEvent& event) {
  if (event.trigger == rules::Trigger::kSweep) return std::nullopt;
  EventClaim out{.id = event.id, .time = event.time, .created = event.creation_time};
  const std::string status = event.training_job_status.value_or("");
  const std::string secondary = event.secondary_status.value_or("");
  out.status = secondary.empty() ? status : status + "/" + secondary;
  if (event.alarm) {
    out.alarm = event.alarm->name;
    out.state = event.alarm->state;
  }
  return out;
}

json::Document Record::to_json() const {
  return json::Document::build([&](json::Sink& sink) { write_to(sink); });
}

std::string Record::to_text() const {
  json::Writer writer;
  write_to(writer);
  return json::one_line(writer.take());
}

void Record::write_to(json::Sink& sink) const {
  LeftOut left_out;
  sink.begin_object()
      .member("trigger", rules::name(trigger))
      .member("job", job)
      .member("state", shown(state));
  if (event) write(sink.key("event"), *event);
  if (generation) sink.member("generation", *generation);
  if (!unknown_members.empty())
    write_list(sink, "unknown_members", unknown_members, kRoomOfOthers, left_out);
  sink.member("conclusion", name(conclusion)).member("conclusion_code", code(conclusion));
  if (measurement)
    sink.member("measured", shown(rules::text(*measurement)))
        .member("measured_code", rules::code(*measurement));
  if (error) sink.member("error", shown(error->message));
  if (restart) write(sink.key("restart"), *restart);
  write_list(sink, "decisions", decisions, kRoomOfDecisions, left_out);
  if (!open_intents.empty()) write_list(sink, "standing", open_intents, kRoomOfOthers, left_out);
  if (!pending_notices.empty())
    write_list(sink, "owed_notices", pending_notices, kRoomOfOthers, left_out);
  write_list(sink, "dropped", dropped, kRoomOfOthers, left_out);
  write_list(sink, "skipped", skipped, kRoomOfOthers, left_out);
  if (!exempted.empty()) {
    sink.key("exempted").begin_object();
    LeftOut of_exempted;
    write_list(sink, "rules", exempted, kRoomOfOthers / 2, of_exempted);
    write_list(sink, "because", exempted_because, kRoomOfOthers / 2, of_exempted);
    write(sink, of_exempted);
    sink.end_object();
  }
  write(sink, alarms(), kRoomOfOthers / 3);
  write_list(sink, "calls", calls, kRoomOfCalls, left_out);
  write(sink, left_out);
  sink.member("policy", policy_hash).end_object();
}

}  // namespace trainwarden::actions
