// Which jobs a sweep counts before it acts (policy.md P7).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "handlers/actions/handle/handle_job.h"

namespace trainwarden::actions {

// Whether the job would be stopped or restarted: because of a measurement (W4), because of the
// job's description alone, or both. The rules are indices in the policy.
struct Acting {
  bool measured = false;
  std::vector<std::size_t> described = {};
  std::vector<std::size_t> counted = {};  // by description, and counted when it was announced (A1)

  bool any() const { return measured || !described.empty() || !counted.empty(); }
};

// Fetches what is needed for that, and notes the job's hourly cost. If it is unknown whether the
// job would be stopped, it counts.
Acting would_act(Considered& considered, const ActivePolicy& rules, const Apis& apis);

// The name under which the job counts: its tuner's if rules on descriptions stop only the tuner, so
// that its jobs count once; else the job's own.
std::string counted_as(const Considered& considered);

// Whether the job was stopped, or had ended before.
bool was_stopped(const Record& record);
// Whether AWS denied its stop, now or before.
bool was_denied(const Record& record);

}  // namespace trainwarden::actions
