#include "handlers/rules/decide/decision_text.h"

#include <fmt/core.h>

namespace trainwarden::rules {

std::string text(const Skipped& skipped) {
  if (skipped.errors.empty()) return "describe: `CreationTime`: expected a time, found none";
  std::string out;
  for (const auto& [source, error] : skipped.errors)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", name(source), error.message);
  return out;
}

}  // namespace trainwarden::rules
