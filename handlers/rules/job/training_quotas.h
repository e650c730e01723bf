// How many instances of a type an account may use in training jobs at once, on demand and on spot.
// Quotas are found by AWS's names, since their codes do not follow from the type. A quota that is
// not listed is unknown. All jobs of the account share a quota and AWS does not report its usage,
// so a quota that is large enough guarantees nothing.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

struct MachineKind {
  std::string type;
  bool spot = false;

  auto operator<=>(const MachineKind&) const = default;
};

// Instances that are allowed, or requested.
using MachineCounts = std::map<MachineKind, std::int64_t>;

// "ml.p5.48xlarge for spot training job usage"
std::string quota_name(const MachineKind& kind);

// Adds a quota of Service Quotas; quotas of other things are ignored. Of several with the same name
// the largest counts, so that a move is refused only if all of them would refuse it.
void add_quota(MachineCounts& quotas, std::string_view name, double value);

}  // namespace trainwarden::rules
