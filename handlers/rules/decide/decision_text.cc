#include "handlers/rules/decide/decision_text.h"

#include <fmt/core.h>

#include <variant>

#include "handlers/rules/alarms/measured_text.h"

namespace trainwarden::rules {

std::string text(std::span<const SourceError> errors) {
  if (errors.empty()) return "describe: `CreationTime`: expected a time, found none";
  std::string out;
  for (const auto& [source, error] : errors)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", name(source), error.message);
  return out;
}

std::string value_text(const Because& because) {
  return because.measurement ? text(*because.measurement) : because.value;
}

std::string asked_text(const Because& because) {
  if (!because.measurement) return because.asked;
  const auto* const measured = std::get_if<Measured>(because.measurement.get());
  return measured != nullptr ? asked_of(measured->watch) : std::string();
}

std::string paths(std::span<const Because> because) {
  std::string out;
  for (const Because& one : because) out += (out.empty() ? "" : ", ") + one.path();
  return out;
}

void write_because(json::Sink& sink, const Because& because, Shown shown) {
  const auto write = [&](std::string_view name, const std::string& text) {
    if (shown == nullptr)
      sink.member(name, text);
    else
      sink.member(name, shown(text));
  };
  sink.begin_object();
  write("path", because.path());
  const std::string value = value_text(because);
  const std::string asked = asked_text(because);
  if (because.absent)
    sink.member("absent", true);
  else if (!value.empty())
    write("value", value);
  if (!asked.empty()) write("asked", asked);
  sink.end_object();
}

}  // namespace trainwarden::rules
