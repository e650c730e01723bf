// How many instances of a type an account may have in training jobs at once, on demand and on spot,
// by the names of AWS's quotas: their codes do not follow from the type. What is not listed is not
// known. Quotas are shared by all jobs of the account, and usage is not told: one that is large
// enough promises nothing.
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

// Instances that may be had, or are asked for.
using MachineCounts = std::map<MachineKind, std::int64_t>;

// "ml.p5.48xlarge for spot training job usage"
std::string quota_name(const MachineKind& kind);

// Takes a quota of Service Quotas in; one of something else is passed over. Of several with one
// name the largest counts, since a move is refused by none of them then.
void add_quota(MachineCounts& quotas, std::string_view name, double value);

}  // namespace trainwarden::rules
