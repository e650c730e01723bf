#include "handlers/rules/decide/decision_text.h"

#include <fmt/core.h>

namespace trainwarden::rules {

std::string text(std::span<const SourceError> errors) {
  if (errors.empty()) return "describe: `CreationTime`: expected a time, found none";
  std::string out;
  for (const auto& [source, error] : errors)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", name(source), error.message);
  return out;
}

}  // namespace trainwarden::rules
