// How often a service is called: a bound on the calls that begin within a second, whoever makes
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

 private:
  // When the last ones of each service began, the oldest first.
  std::array<std::array<Instant, kCalls>, kServiceCount> begun_;
};

}  // namespace trainwarden::aws
