// Which of the jobs that a sweep would stop gets the next permit (policy.md P7). Half of what
// sweeps give goes to the dearest job, whatever its role, and half to the role that has had the
// fewest within the hour. So cheap jobs keep nobody from the dearest one, and dear ones of one role
// keep nobody from another's. Jobs whose stop was denied before come last.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "handlers/rules/state/brake.h"

namespace trainwarden::rules {

struct WaitingStop {
  double usd_per_hour = 0;
  std::string role = {};  // role_key()
  bool denied = false;
};

// The place of the next one. stopped: how many of each role were, by role_key(). At least one must
// wait.
std::ptrdiff_t next_stop(std::span<const WaitingStop> waiting, Share share,
                         const std::map<std::string, std::size_t>& stopped);

}  // namespace trainwarden::rules
