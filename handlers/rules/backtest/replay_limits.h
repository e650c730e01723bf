// The limits of a policy in a replay (policy.md P7): who was stopped and copied within the hour,
// and who fell silent.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/limits.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

class ReplayLimits {
 public:
  explicit ReplayLimits(const Limits& limits) : limits_(limits) {}

  const Limits& limits() const { return limits_; }

  // Takes a slot, or says which limit is reached.
  std::optional<Reason> stop(sys_seconds at, bool silent);
  std::optional<Reason> copy(sys_seconds at);

  // One more job fell silent.
  void fell_silent(sys_seconds at) { silent_.push_back(at); }
  // Why none is stopped for its silence: so many fell silent within an hour that it is an outage.
  std::optional<Reason> silent_together(sys_seconds now);

 private:
  using Times = std::deque<sys_seconds>;

  Limits limits_;
  Times stops_;
  Times silent_stops_;
  Times copies_;
  Times silent_;
};

}  // namespace trainwarden::rules
