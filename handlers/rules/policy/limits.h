// The most that one bad edit of a policy may do (P7): the member `limits` of the file.
#pragma once

#include <cstdint>

#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// The hourly limits apply to any sixty minutes. This is the largest that each may be, since the
// table keeps all stopped jobs in one item. 0 lets none through.
inline constexpr std::int64_t kMostPerHour = 1000;

struct Limits {
  std::int64_t stops_per_sweep = 5;
  std::int64_t stops_per_hour = 20;        // for good, or for a restart
  std::int64_t silent_stops_per_hour = 3;  // of jobs that fell silent; beyond it is an outage
  std::int64_t restarts_per_hour = 20;     // copies
};

// A limit that is missing, or was reported as an error, has its default.
Limits read_limits(json::Value object, Reader& reader);

}  // namespace trainwarden::rules
