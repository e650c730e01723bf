// What one bad edit of a policy may do at most (P7): the member `limits` of the file.
#pragma once

#include <cstdint>

#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Limits {
  std::int64_t stops_per_sweep = 5;
  std::int64_t stops_per_hour = 20;
};

// Where a limit is missing, or after a complaint about it: its default.
Limits read_limits(json::Value object, Reader& reader);

}  // namespace trainwarden::rules
