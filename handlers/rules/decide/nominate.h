// Which jobs a sweep must look at (policy.md S1). Search returns a hundred jobs a call, but it lags
// and lacks members, so it justifies a closer look, never an action. A job is nominated unless
// every rule is false whatever the missing members may be.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// A record of Search as the snapshot of that job: Describe and the tags, both provisional.
// nullopt where it has no name.
std::optional<Sources> sources_of_search(const TrainingJob& job);

struct Nomination {
  // A rule requests more than alarms, or may.
  bool look = false;
  // The watches that rules request. If their alarms exist already, no look is needed.
  std::vector<const Watch*> watches;
};

Nomination nominate(const Policy& policy, const Sources& search, sys_seconds now);

}  // namespace trainwarden::rules
