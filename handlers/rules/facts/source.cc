#include "handlers/rules/facts/source.h"

#include <fmt/core.h>

#include <cassert>
#include <utility>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {

std::string_view name(Source source) {
  static constexpr std::array<std::string_view, kSourceCount> kNames = {"event", "describe", "tags",
                                                                        "logs", "fleet"};
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
  state(source) = std::move(document);
}

void Sources::set_unavailable(Source source, Error error) {
  assert(source != Source::kEvent);
  state(source) = std::move(error);
}

void Sources::forget(Source source) { state(source) = std::monostate{}; }

std::optional<json::Value> Sources::known(Source source) const {
  if (const auto* document = std::get_if<json::Document>(&state(source))) return document->root();
  return std::nullopt;
}

const Error* Sources::unavailable(Source source) const {
  return std::get_if<Error>(&state(source));
}

std::string state_of(const Sources& sources) {
  const auto describe = sources.known(Source::kDescribe);
  const auto member = [&](std::string_view name, const std::optional<std::string>& told) {
    const auto text = describe ? string_of(*describe, name) : std::nullopt;
    return text ? std::string(*text) : told.value_or("?");
  };
  return fmt::format("{}/{}", member("TrainingJobStatus", sources.event().training_job_status),
                     member("SecondaryStatus", sources.event().secondary_status));
}

}  // namespace trainwarden::rules
