// How often a service is called: a bound on the calls that reach it within a second, whoever makes
// them. SageMaker and CloudWatch allow an account few of each operation, and a sweep must leave
// events theirs.
#pragma once

#include <array>
#include <cstddef>

#include "awsapi/service.h"
#include "runtime/base/time.h"

namespace trainwarden::aws {

class Pace {
 public:
  using Instant = Deadline::Clock::time_point;

  // Of one service, in any second.
  static constexpr std::size_t kCalls = 5;

  Pace();

  // When so many more calls of the service may begin together, at most kCalls.
  Instant ready(ServiceId service, std::size_t calls) const;
  void took(ServiceId service, std::size_t calls, Instant at);
  // The answers to these last ones, sent together then, were there after that time. What took
  // longer than the quickest may have been on its way for as much, and reached the service later.
  void answered(ServiceId service, std::size_t calls, Instant sent, Instant::duration after);
  // They may have reached it as late as that.
  void reached_by(ServiceId service, std::size_t calls, Instant at);

 private:
  // When the last ones of each service reached it, at the latest as far as is known, the oldest
  // first.
  std::array<std::array<Instant, kCalls>, kServiceCount> begun_;
  std::array<Instant::duration, kServiceCount> quickest_;
};

}  // namespace trainwarden::aws
