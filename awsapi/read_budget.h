// How much may be read about one job: a bound on the time, the pages and the bytes of its lists and
// its log, all of them together. Whoever runs a job decides how long its log is, and how much lies
// at its checkpoint; that must not decide how much time is left for other jobs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/time.h"

namespace trainwarden::aws {

class ReadBudget {
 public:
  static constexpr std::chrono::milliseconds kTime{10'000};
  static constexpr int kPages = 50;
  static constexpr std::size_t kBytes = 20'000'000;

  // Anew, for the next job; before the first call there is no bound. left: of the invocation, which
  // keeps half of it for what is done with what was read.
  void begin(std::chrono::milliseconds left);
  bool bounds() const { return bounds_; }
  // Why no further page may be read; nullopt where one may. kDeadline where there would have been
  // more time, had the invocation had more left.
  std::optional<Error> spent(std::string_view operation) const;
  // When a page that begins now is given up.
  Deadline until(Deadline::Clock::time_point now) const { return Deadline::at(now + time_); }
  // Whether it is the length of what is read that spent it, and not how long the service took.
  bool is_too_much() const { return pages_ <= 0 || bytes_ == 0; }
  void took(std::chrono::milliseconds time, std::size_t bytes);

 private:
  bool bounds_ = false;
  std::chrono::milliseconds full_time_ = kTime;
  std::chrono::milliseconds time_ = kTime;  // what is left of each
  int pages_ = kPages;
  std::size_t bytes_ = kBytes;
};

}  // namespace trainwarden::aws
