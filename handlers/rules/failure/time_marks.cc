#include "handlers/rules/failure/time_marks.h"

#include <algorithm>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {

TimeDigits time_digits(std::string_view text) {
  static constexpr auto kMonths = word_list("Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ",
                                            "Aug ", "Sep ", "Oct ", "Nov ", "Dec ");
  static constexpr auto kDays = word_list("Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun ");
  constexpr std::size_t kName = 4;
  TimeDigits out;
  if (text.empty() || !(is_digit(text[0]) || is_capital(text[0]))) return out;
  std::size_t at = 0;
  if (is_capital(text[0]) && text.size() > kName && text[kName - 1] == ' ') {
    if (starts_with_one(text, kDays)) at = kName;
    if (starts_with_one(text.substr(at), kMonths)) at += kName;
    out.month = at == kName;
  }
  const char* const characters = text.data();
  for (; at < text.size(); ++at) {
    const char c = characters[at];
    if (is_digit(c)) {
      ++out.digits;
      continue;
    }
    const bool parts = out.digits > 0 && (c == ':' || c == '-' || c == '/');
    const bool joins = c == 'T' || c == ' ' || c == '.' || c == ',' || c == '+';
    const bool digit_follows = at + 1 < text.size() && is_digit(characters[at + 1]);
    if (!digit_follows || !(parts || joins)) break;
    if (parts) ++out.marks;
  }
  out.size = at;
  return out;
}

bool is_time(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_digit(c) || std::string_view(" .,:-/TZ+").contains(c); });
}

bool has_form(std::string_view text, std::string_view form, std::string_view parts) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (!(form[i] == '0'   ? is_digit(text[i])
          : form[i] == '_' ? parts.contains(text[i])
                           : text[i] == form[i]))
      return false;
  return true;
}

}  // namespace trainwarden::rules
