#include "handlers/rules/policy/volume_keys.h"

#include <algorithm>
#include <string_view>

#include "handlers/rules/policy/remarks.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kVolumeKey = "ResourceConfig.VolumeKmsKeyId";

bool names_machines(const Conjunction& conjunction) {
  return std::ranges::any_of(conjunction.parts, [](const Part& part) {
    return std::ranges::any_of(part.conditions, [](const Condition& condition) {
      const std::string_view path = condition.path;
      return path == "instance_types" || path == "accelerator" || path.ends_with("InstanceType");
    });
  });
}

// Whether jobs are left alone only where they have a key, whatever their machines.
bool demands_key(const Rule& rule) {
  const bool by_match = std::ranges::any_of(rule.match.any, [](const Conjunction& one) {
    const Condition* const key = one.find(Group::kJob, kVolumeKey);
    return key != nullptr && key->accepts_absence() && !names_machines(one);
  });
  const bool by_unless = std::ranges::any_of(rule.unless.any, [](const Conjunction& one) {
    const Condition* const key = one.find(Group::kJob, kVolumeKey);
    return key != nullptr && !key->accepts_absence();
  });
  const bool all_named = std::ranges::all_of(rule.match.any, names_machines);
  return (by_match || (by_unless && !all_named)) &&
         std::ranges::none_of(rule.unless.any, names_machines);
}

}  // namespace

std::vector<Remark> demanded_volume_keys(const Policy& policy) {
  return remarks(policy, demands_key,
                 "demands a VolumeKmsKeyId, which machines with local disks (ml.p4d, ml.p5, ml.g5 "
                 "and others) take none of, since their hardware encrypts these: leave them out by "
                 "resources.instance_types");
}

}  // namespace trainwarden::rules
