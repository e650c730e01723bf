#include "runtime/base/time.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <thread>

namespace trainwarden {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::year_month_day;

struct Civil {
  int year;
  unsigned month, day;
  long hour, minute, second;
};

Civil civil(sys_seconds t) {
  const auto day = floor<days>(t);
  const year_month_day date(day);
  const long of_day = (t - day).count();
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          of_day / 3600,
          of_day / 60 % 60,
          of_day % 60};
}

// Writes the number's digits over the text's, right-aligned at `end`.
void put_digits(long number, std::size_t end, std::string& text) {
  for (; number > 0; number /= 10) text.at(--end) = static_cast<char>('0' + number % 10);
}

// Written by hand over zeros: each log line has a time, and a format takes ten times as long.
void put_time(const Civil& c, std::string& text) {
  put_digits(c.month, 7, text);
  put_digits(c.day, 10, text);
  put_digits(c.hour, 13, text);
  put_digits(c.minute, 16, text);
  put_digits(c.second, 19, text);
  if (c.year >= 0 && c.year <= 9999)
    put_digits(c.year, 4, text);
  else
    text.replace(0, 4, fmt::format("{:04}", c.year));
}

// Takes exactly width digits off the front of text.
std::optional<int> digits(std::string_view& text, std::size_t width) {
  int value = 0;
  if (text.size() < width) return std::nullopt;
  for (const char c : text.substr(0, width)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<seconds> offset(std::string_view text) {
  if (text == "Z" || text == "z") return seconds(0);
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hour = digits(text, 2);
  take(text, ':');
  const auto minute = digits(text, 2);
  if (!hour || !minute || !text.empty() || *hour > 23 || *minute > 59) return std::nullopt;
  return sign * (hours(*hour) + minutes(*minute));
}

std::optional<sys_seconds> parse(std::string_view text) {
  const auto year = digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = digits(text, 2);
  if (!day || !(take(text, 'T') || take(text, 't') || take(text, ' '))) return std::nullopt;
  const auto hour = digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = digits(text, 2);
  if (!second) return std::nullopt;
  if (take(text, '.')) {
    const std::size_t length = text.find_first_not_of("0123456789");
    if (length == 0 || length == std::string_view::npos) return std::nullopt;
    text.remove_prefix(length);
  }
  const auto zone = offset(text);
  const year_month_day date{std::chrono::year(*year),
                            std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!zone || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) - *zone;
}

class SystemClock final : public Clock {
 public:
  sys_millis now() const override { return floor<milliseconds>(std::chrono::system_clock::now()); }
  Deadline::Clock::time_point steady_now() const override { return Deadline::Clock::now(); }
  void sleep_for(milliseconds duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace

std::string rfc3339(sys_seconds t) {
  std::string text = "0000-00-00T00:00:00Z";
  put_time(civil(t), text);
  return text;
}

std::string rfc3339(sys_millis t) {
  const auto whole = floor<seconds>(t);
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits((t - whole).count(), 23, text);
  put_time(civil(whole), text);
  return text;
}

std::string iso8601_basic(sys_seconds t) {
  const Civil c = civil(t);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", c.year, c.month, c.day, c.hour, c.minute,
                     c.second);
}

Result<sys_seconds> parse_rfc3339(std::string_view text) {
  if (const auto t = parse(text)) return *t;
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("expected a time such as 2026-11-01T00:00:00Z, found `{}`", text.substr(0, 40)));
}

std::optional<sys_seconds> parse_http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != std::string_view("Sat, 21 Nov 2026 12:41:53 GMT").size()) return std::nullopt;
  text.remove_prefix(std::string_view("Sat, ").size());
  const auto day = digits(text, 2);
  if (!day || !take(text, ' ')) return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(0, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  text.remove_prefix(3);
  if (!take(text, ' ')) return std::nullopt;
  const std::string_view year = text.substr(0, 4);
  if (!text.ends_with(" GMT") || text[4] != ' ') return std::nullopt;
  return parse(fmt::format("{}-{:02}-{:02}T{}Z", year, month / 3 + 1, *day, text.substr(5, 8)));
}

sys_seconds from_epoch(double number) {
  constexpr double kMillisFrom = 1e11;
  constexpr double kLimit = 253402300800.0;  // the year 10000
  double whole = std::floor(std::fabs(number) >= kMillisFrom ? number / 1000 : number);
  if (!(whole > -kLimit)) whole = -kLimit;
  if (whole > kLimit) whole = kLimit;
  return sys_seconds(seconds(static_cast<long>(whole)));
}

milliseconds Deadline::left(Clock::time_point now) const {
  if (is_never()) return milliseconds::max();
  if (now >= at_) return milliseconds(0);
  return std::chrono::duration_cast<milliseconds>(at_ - now);
}

Deadline Deadline::before(milliseconds reserve) const {
  return is_never() ? *this : Deadline(at_ - reserve);
}

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace trainwarden
