// The order of queued copies (policy.md P7). It is fair between roles, since people cannot give a
// job a role that they may not pass, whereas anybody can write tags and names. The next copy is of
// the role with the fewest copies within the hour, and of that role's jobs, the one that ended
// first.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::rules {

struct WaitingCopy {
  sys_seconds ended = {};
  std::string job = {};   // the name breaks ties between jobs that ended in the same second
  std::string role = {};  // its ARN
};

// The places of `waiting`, in the order of their turns. made: how many copies each role has had, by
// role_key().
std::vector<std::size_t> queue_order(std::span<const WaitingCopy> waiting,
                                     std::map<std::string, std::size_t> made);

}  // namespace trainwarden::rules
