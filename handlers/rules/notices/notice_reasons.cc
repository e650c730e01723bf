#include "handlers/rules/notices/notice_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "handlers/rules/decide/decision_text.h"

namespace trainwarden::rules {

std::string reason(const Because& because) {
  if (because.absent) return because.path() + " is absent";
  const std::string value = value_text(because);
  if (value.empty()) return because.path() + " (its value is not shown)";
  std::string out = because.path() + " is " + value;
  if (!because.unit.empty()) out.append(" ").append(because.unit);
  if (!because.asked.empty()) out += fmt::format(" (the rule asks for {})", because.asked);
  return out;
}

namespace {

// The one that says most: what was measured, else what was held against a bound or a list, else
// what is absent. nullptr where the rule asks for plain values alone.
const Because* main_reason(const Decision& decision) {
  const auto first = [&decision](auto says) -> const Because* {
    const auto found = std::ranges::find_if(decision.because, says);
    return found == decision.because.end() ? nullptr : &*found;
  };
  if (const Because* one = first([](const Because& b) { return b.measurement != nullptr; }))
    return one;
  if (const Because* one = first([](const Because& b) { return !b.asked.empty(); })) return one;
  return first([](const Because& b) { return b.absent; });
}

}  // namespace

std::string why(const Decision& decision) {
  const Because* const one = main_reason(decision);
  if (one == nullptr) return {};
  return ": " + (one->measurement ? value_text(*one) : reason(*one));
}

std::string why_in_short(const Decision& decision) {
  const Because* const one = main_reason(decision);
  if (one == nullptr) return {};
  if (!one->measurement) return ": " + reason(*one);
  const std::string asked = asked_text(*one);
  return asked.empty() ? asked : ": " + asked;
}

}  // namespace trainwarden::rules
