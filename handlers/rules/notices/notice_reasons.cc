#include "handlers/rules/notices/notice_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "handlers/rules/decide/decision_text.h"

namespace trainwarden::rules {

std::string reason(const Because& because, const NoticeForm& form) {
  std::string out = cut_stored(because.path(), form.text);
  if (because.absent) return out += " is absent";
  const std::string value = value_text(because);
  if (value.empty()) return out += " (its value is not shown)";
  out.append(" is ").append(foreign(value, form));
  if (!because.unit.empty()) out.append(" ").append(because.unit);
  if (!because.asked.empty())
    out += fmt::format(" (the rule asks for {})", cut_stored(because.asked, form.text));
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

std::string why(const Decision& decision, const NoticeForm& form) {
  const Because* const one = main_reason(decision);
  if (one == nullptr) return {};
  return ": " + (one->measurement ? foreign(value_text(*one), form) : reason(*one, form));
}

std::string why_in_short(const Decision& decision, const NoticeForm& form) {
  const Because* const one = form.reasons > 0 ? main_reason(decision) : nullptr;
  if (one == nullptr) return {};
  if (!one->measurement) return ": " + reason(*one, form);
  const std::string asked = cut_stored(asked_text(*one), form.text);
  return asked.empty() ? asked : ": " + asked;
}

}  // namespace trainwarden::rules
