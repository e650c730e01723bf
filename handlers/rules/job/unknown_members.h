// The members of a job's description that this version does not know: AWS adds some each year. What
// such a member says is unknown, and never taken for "not there" (policy.md F16).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/json/json.h"

namespace trainwarden::rules {

struct UnknownMember {
  std::string path;  // dotted, lists add nothing: "ResourceConfig.InstanceGroups.Fleet"
  // Lies inside a structure that CreateTrainingJob takes, and says something: a copy without it
  // would be another job.
  bool of_copy = false;

  bool at_top() const { return path.find('.') == std::string::npos; }
};

// Of DescribeTrainingJob's answer or a record of Search, each path once and at most 32 of them.
// Null members are none (F2). A structure where a leaf is expected is not known either. The keys of
// maps are free.
std::vector<UnknownMember> unknown_members(json::Value describe);

// The same below the top-level member of that name, or of the top level alone if it is empty.
std::vector<std::string> unknown_paths(json::Value describe, std::string_view below);

// "`ResourceConfig.Fleet` is not known to this version", for people.
std::string not_known(std::span<const std::string> paths);

}  // namespace trainwarden::rules
