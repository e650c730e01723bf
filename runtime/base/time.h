// Instants and deadlines. Only main and the loop read clocks; all other code receives the time.
#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden {

using std::chrono::sys_seconds;
using sys_millis = std::chrono::sys_time<std::chrono::milliseconds>;

// "2026-11-01T00:00:00Z"
std::string rfc3339(sys_seconds t);
// "2026-11-01T00:00:00.123Z"
std::string rfc3339(sys_millis t);
// "20261101T000000Z", the form that SigV4 requires
std::string iso8601_basic(sys_seconds t);
// RFC 3339 with Z or an offset ("+00:00", and AWS's "+0000"), fractions of a second allowed and
// dropped.
Result<sys_seconds> parse_rfc3339(std::string_view text);
// The Date header's form, "Sat, 21 Nov 2026 12:41:53 GMT" (RFC 9110 5.6.7, IMF-fixdate); nullopt
// for others.
std::optional<sys_seconds> parse_http_date(std::string_view text);
// Epoch seconds, or milliseconds where the number is 1e11 or more (the year 5138 in seconds).
sys_seconds from_epoch(double number);

// A point on the monotonic clock after which nothing is waited for.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline never() { return Deadline(Clock::time_point::max()); }
  static Deadline at(Clock::time_point t) { return Deadline(t); }

  auto operator<=>(const Deadline&) const = default;

  bool is_never() const { return at_ == Clock::time_point::max(); }
  Clock::time_point time() const { return at_; }
  // The time left at `now`, never negative; milliseconds::max() for never().
  std::chrono::milliseconds left(Clock::time_point now) const;
  // The same deadline, earlier by reserve.
  Deadline before(std::chrono::milliseconds reserve) const;

 private:
  explicit Deadline(Clock::time_point t) : at_(t) {}
  Clock::time_point at_;
};

// The clocks and the ability to wait, in one place that tests can replace.
struct Clock {
  virtual ~Clock() = default;
  virtual sys_millis now() const = 0;
  virtual Deadline::Clock::time_point steady_now() const = 0;
  virtual void sleep_for(std::chrono::milliseconds duration) = 0;
};

// The machine's own clocks.
Clock& system_clock();

}  // namespace trainwarden
