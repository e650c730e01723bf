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

}  // namespace trainwarden::rules
