#include "handlers/rules/facts/source.h"

#include <fmt/core.h>

#include <cassert>
#include <utility>

namespace trainwarden::rules {

std::string_view name(Source source) {
  static constexpr std::array<std::string_view, kSourceCount> kNames = {
      "event",   "describe",   "tags",     "logs", "fleet",   "prices",
      "silence", "checkpoint", "machines", "gpus", "launcher"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string_view name(Trigger trigger) {
  switch (trigger) {
    case Trigger::kState:
      return "state";
    case Trigger::kAlarm:
      return "alarm";
    case Trigger::kSweep:
      return "sweep";
  }
  return "";
}

std::string SourceSet::names() const {
  std::string out;
  for (Source s : *this) {
    if (!out.empty()) out += ", ";
    out += name(s);
  }
  return out;
}

void Sources::set(Source source, json::Document document) {
  assert(source != Source::kEvent);
  if (!document.root().is_object()) {
    set_unavailable(source, {ErrorCode::kBadResponse,
                             "expected an object, found `" + document.root().excerpt() + "`"});
    return;
  }
  const json::Value root = document.root();
  change(source, std::move(document));
  if (source == Source::kDescribe) job_ = read_training_job(root);
  if (source == Source::kTags) tags_ = read_job_tags(root);
}

void Sources::set_unavailable(Source source, Error error) {
  assert(source != Source::kEvent);
  change(source, std::move(error));
}

void Sources::forget(Source source) { change(source, std::monostate{}); }

void Sources::change(Source source, State state) {
  if (source == Source::kDescribe) job_.reset();
  if (source == Source::kTags) tags_.reset();
  states_[static_cast<std::size_t>(source)] = std::move(state);
}

std::optional<json::Value> Sources::known(Source source) const {
  if (const auto* document = std::get_if<json::Document>(&state(source))) return document->root();
  return std::nullopt;
}

const Error* Sources::unavailable(Source source) const {
  return std::get_if<Error>(&state(source));
}

std::string state_of(const Sources& sources) {
  const TrainingJob* const job = sources.job();
  const auto either = [](std::string_view text, const std::optional<std::string>& other) {
    return text.empty() ? other.value_or("?") : std::string(text);
  };
  return fmt::format("{}/{}",
                     either(job ? job->status_text : "", sources.event().training_job_status),
                     either(job ? job->secondary_text : "", sources.event().secondary_status));
}

}  // namespace trainwarden::rules
