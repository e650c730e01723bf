// The jobs that a sweep comes across (policy.md S1), a hundred a call. Search only nominates: the
// jobs named here are those that need a closer look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/rules/decide/nominate.h"

namespace trainwarden::actions {

struct JobCensus {
  std::size_t seen = 0;
  std::vector<std::string> nominated;  // in the order in which they are to be looked at
  std::vector<std::uint64_t> names;    // name_hash of every job seen, sorted
  // The call that failed, where the census is not whole; kDeadline where time ran out, kTimeout
  // where it ran out on a call.
  std::optional<Error> cut;

  bool has(std::string_view job) const;
};

// Which records need a look. Takes what Search tells of one job.
using Nominate = std::function<bool(const rules::Sources& search)>;

// By CreationTime, from `start` on to the youngest job, then from the oldest to it.
JobCensus running_jobs(sys_seconds start, const Nominate& nominate, const Apis& apis);
// Those that ended within kCopiedWithin, and some that changed since.
JobCensus ended_jobs(sys_seconds start, const Nominate& nominate, const Apis& apis);

// Where to begin, so that no job's turn never comes when time runs out: at an age that is spread
// evenly on a logarithmic scale from seconds to 28 days, the longest a job may take. random: from
// [0, 1).
sys_seconds random_start(sys_seconds now, double random);

// Tells names apart; equal only where they are, but for one chance in 10^19.
std::uint64_t name_hash(std::string_view name);

}  // namespace trainwarden::actions
