// A clock that stands still unless told otherwise; sleeping moves it.
#pragma once

#include <chrono>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::testing {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(sys_millis now) : now_(now) {}

  sys_millis now() const override { return now_; }
  Deadline::Clock::time_point steady_now() const override {
    return Deadline::Clock::time_point(now_.time_since_epoch());
  }
  void sleep_for(std::chrono::milliseconds duration) override {
    slept.push_back(duration);
    now_ += duration;
  }
  // Time that passes without anybody's sleeping.
  void advance(std::chrono::milliseconds duration) { now_ += duration; }
  Deadline in(std::chrono::milliseconds duration) const {
    return Deadline::at(steady_now() + duration);
  }

  std::vector<std::chrono::milliseconds> slept;

 private:
  sys_millis now_;
};

}  // namespace trainwarden::testing
