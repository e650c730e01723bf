#include "handlers/rules/failure/speaker.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/leading_number.h"
#include "handlers/rules/failure/time_marks.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// The number behind a word, and behind blanks and marks: 3 of `rank: 3`.
std::optional<int> number_after(std::string_view text, std::string_view word) {
  const std::size_t found = text.find(word);
  if (found == text.npos) return std::nullopt;
  constexpr std::string_view kMarks = " :=";
  const std::size_t at = text.find_first_not_of(kMarks, found + word.size());
  if (at == text.npos) return std::nullopt;
  const auto number = leading_number(text.substr(at));
  return number ? std::optional(number->value) : std::nullopt;
}

bool fits(std::string_view text, std::string_view form) { return has_form(text, form, " T_:"); }

std::uint64_t number(std::string_view text, std::size_t at, std::size_t size) {
  const auto number = leading_number(text.substr(at, size));
  return number && number->value > 0 ? static_cast<std::uint64_t>(number->value) : 0;
}

// clock: `15:18:20,466…`
std::uint64_t moment(std::uint64_t month, std::uint64_t day, std::string_view clock) {
  const std::uint64_t seconds =
      (((month * 31 + day) * 24 + number(clock, 0, 2)) * 60 + number(clock, 3, 2)) * 60 +
      number(clock, 6, 2);
  constexpr std::size_t kSeconds = 8;
  constexpr std::size_t kMicros = 6;
  std::uint64_t fraction = 0;
  const bool has_one =
      clock.size() > kSeconds && (clock[kSeconds] == '.' || clock[kSeconds] == ',');
  for (std::size_t i = 1; i <= kMicros; ++i) {
    const bool digit = has_one && kSeconds + i < clock.size() && is_digit(clock[kSeconds + i]);
    fraction = fraction * 10 + (digit ? number(clock, kSeconds + i, 1) : 0);
  }
  return seconds * 1'000'000 + fraction;
}

}  // namespace

std::optional<int> local_rank_of(std::string_view prefix) {
  if (const auto rank = number_after(prefix, "[default")) return rank;
  return number_after(prefix, "local_rank");
}

std::optional<int> rank_of(std::string_view prefix) {
  if (prefix.contains("local_rank")) return std::nullopt;
  if (const auto rank = number_after(prefix, "rank")) return rank;
  if (const auto rank = number_after(prefix, "Rank")) return rank;
  // `[1,3]<stderr>:`: the job, and the rank.
  if (prefix.starts_with("[1,")) return number_after(prefix, "[1,");
  // srun -l
  const std::size_t colon = prefix.find(": ");  // npos is beyond kMost
  constexpr std::size_t kMost = 5;
  const std::size_t first = prefix.find_first_not_of(' ');
  if (colon > kMost || first >= colon ||
      !std::ranges::all_of(prefix.substr(first, colon - first), is_digit))
    return std::nullopt;
  return static_cast<int>(number(prefix, first, colon - first));
}

std::optional<std::uint64_t> moment_of(std::string_view prefix) {
  static constexpr auto kMonths =
      std::to_array<std::string_view>({"Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ",
                                       "Aug ", "Sep ", "Oct ", "Nov ", "Dec "});
  for (std::size_t at = 0; at < prefix.size(); ++at) {
    if (at > 0 && is_digit(prefix[at - 1])) continue;
    if (is_digit(prefix[at])) {
      const std::string_view text = prefix.substr(at);
      if (fits(text, "0000-00-00_00:00:00"))
        return moment(number(text, 5, 2), number(text, 8, 2), text.substr(11));
      if (fits(text, "00/00/0000_00:00:00"))
        return moment(number(text, 0, 2), number(text, 3, 2), text.substr(11));
      if (fits(text, "0000 00:00:00"))  // glog
        return moment(number(text, 0, 2), number(text, 2, 2), text.substr(5));
    }
    if (!is_capital(prefix[at])) continue;
    const std::string_view text = prefix.substr(at);
    const auto month = std::ranges::find_if(
        kMonths, [text](std::string_view name) { return text.starts_with(name); });
    if (month == kMonths.end()) continue;
    const std::size_t day = text.find_first_not_of(' ', month->size());
    if (day == text.npos) continue;
    const std::size_t clock = text.find(' ', day);
    if (clock == text.npos || !fits(text.substr(clock), " 00:00:00")) continue;
    return moment(static_cast<std::uint64_t>(month - kMonths.begin()) + 1,
                  number(text, day, clock - day), text.substr(clock + 1));
  }
  return std::nullopt;
}

}  // namespace trainwarden::rules
