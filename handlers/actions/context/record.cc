#include "handlers/actions/context/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::actions {
namespace {

void write(json::Sink& sink, const ActionOutcome& outcome) {
  sink.begin_object()
      .member("action", rules::name(outcome.action))
      .member("result", rules::text(outcome.result));
  if (outcome.error) sink.member("error", outcome.error->message);
  if (!outcome.note.empty()) sink.member("note", outcome.note);
  if (outcome.saved_usd) sink.member("saved_usd", *outcome.saved_usd);
  if (const auto& tuner = outcome.result.tuner) {
    sink.key("tuning_job").begin_object().member("name", tuner->name);
    if (tuner->running) sink.member("running", *tuner->running);
    sink.end_object();
  }
  sink.end_object();
}

void write(json::Sink& sink, const rules::Because& because) {
  sink.begin_object().member("path", because.path);
  if (because.absent)
    sink.member("absent", true);
  else if (!because.value.empty())
    sink.member("value", because.value);
  if (!because.asked.empty()) sink.member("asked", because.asked);
  sink.end_object();
}

void write(json::Sink& sink, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  sink.key(name).begin_array();
  for (const std::string& text : texts) sink.string(text);
  sink.end_array();
}

void write(json::Sink& sink, const AlarmChanges& alarms) {
  if (alarms.empty() && !alarms.error) return;
  sink.key("alarms").begin_object();
  write(sink, "created", alarms.created);
  write(sink, "deleted", alarms.deleted);
  write(sink, "reset", alarms.reset);
  if (alarms.error) sink.member("error", alarms.error->message);
  sink.end_object();
}

void write(json::Sink& sink, const DecisionOutcome& outcome) {
  const rules::Decision& decision = outcome.decision;
  sink.begin_object().member("rule", decision.rule).member("mode", rules::name(decision.mode));
  if (!decision.message.empty()) sink.member("message", decision.message);
  sink.key("because").begin_array();
  for (const auto& because : decision.because) write(sink, because);
  sink.end_array().key("actions").begin_array();
  for (const auto& action : outcome.actions) write(sink, action);
  sink.end_array().end_object();
}

void write(json::Sink& sink, const OwedNotice& owed) {
  sink.begin_object().member("rule", owed.rule);
  write(sink.key("outcome"), owed.outcome);
  sink.end_object();
}

void write(json::Sink& sink, const rules::Dropped& dropped) {
  sink.begin_object()
      .member("rule", dropped.rule)
      .member("action", rules::name(dropped.action))
      .member("reason", dropped.reason)
      .end_object();
}

void write(json::Sink& sink, const rules::Skipped& skipped) {
  sink.begin_object()
      .member("rule", skipped.rule)
      .member("unavailable", skipped.sources.names())
      .member("error", skipped.error)
      .end_object();
}

void write(json::Sink& sink, const aws::CallMade& call) {
  sink.begin_object()
      .member("service", call.service)
      .member("operation", call.operation)
      .member("attempts", call.attempts)
      .member("outcome", call.outcome)
      .end_object();
}

template <class T>
void write_list(json::Sink& sink, std::string_view name, const std::vector<T>& items) {
  sink.key(name).begin_array();
  for (const T& item : items) write(sink, item);
  sink.end_array();
}

}  // namespace

std::string_view name(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kDecided:
      return "decided";
    case Conclusion::kGone:
      return "gone";
    case Conclusion::kNamesake:
      return "namesake";
    case Conclusion::kNotConfirmed:
      return "not confirmed";
    case Conclusion::kOrphanedAlarms:
      return "alarms of a job that does not run";
  }
  return "";
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
  for (const OwedNotice& owed : owed_notices)
    if (owed.outcome.error)
      return Error(*owed.outcome.error).in(fmt::format("job {}: a notice that was owed", job));
  const auto lost = std::ranges::find(skipped, true, &rules::Skipped::comes_again);
  if (lost == skipped.end()) return std::nullopt;
  return Error{ErrorCode::kUnavailable, fmt::format("job {}: rule {} could not be decided: {}", job,
                                                    lost->rule, lost->error)};
}

std::string Record::why_unconfirmed() const {
  return unconfirmed ? rules::text(*unconfirmed) : std::string();
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
    }
  return all;
}

json::Document Record::to_json() const {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object()
        .member("trigger", rules::name(trigger))
        .member("job", job)
        .member("state", state);
    if (generation) sink.member("generation", *generation);
    sink.member("conclusion", name(conclusion));
    if (!measured.empty()) sink.member("measured", measured);
    if (unconfirmed) sink.member("measured", rules::text(*unconfirmed));
    if (error) sink.member("error", error->message);
    if (restart) write(sink.key("restart"), *restart);
    write_list(sink, "decisions", decisions);
    if (!owed_notices.empty()) write_list(sink, "owed_notices", owed_notices);
    write_list(sink, "dropped", dropped);
    write_list(sink, "skipped", skipped);
    write(sink, alarms());
    write_list(sink, "calls", calls);
    sink.member("policy", policy_hash).end_object();
  });
}

}  // namespace trainwarden::actions
