// Whose copy is made next, where many wait (policy.md P7). Fair is: the role under which the job
// runs takes its turn with the other roles, since nobody can give a job a role that they may not
// pass, whereas tags and names are anybody's. So the next one is of a role that has had the fewest
// copies within the hour, and of that role's jobs the one that ended first.
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
  std::string job = {};   // whose name decides between two that ended in one second
  std::string role = {};  // its ARN
};

// The places of `waiting`, in the order of their turns. made: how many copies each role has had, by
// role_key().
std::vector<std::size_t> in_turn(std::span<const WaitingCopy> waiting,
                                 std::map<std::string, std::size_t> made);

}  // namespace trainwarden::rules
