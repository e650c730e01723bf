#include "handlers/rules/job/training_quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "handlers/rules/job/instance_types.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kOnDemandUsage = " for training job usage";
constexpr std::string_view kSpotUsage = " for spot training job usage";

std::optional<MachineKind> kind_of_quota(std::string_view name) {
  for (const bool spot : {false, true}) {
    const std::string_view usage = spot ? kSpotUsage : kOnDemandUsage;
    if (!name.ends_with(usage)) continue;
    const std::string_view type = name.substr(0, name.size() - usage.size());
    if (is_instance_type(type)) return MachineKind{std::string(type), spot};
  }
  return std::nullopt;
}

}  // namespace

std::string quota_name(const MachineKind& kind) {
  return fmt::format("{}{}", kind.type, kind.spot ? kSpotUsage : kOnDemandUsage);
}

void add_quota(MachineCounts& quotas, std::string_view name, double value) {
  const auto kind = kind_of_quota(name);
  if (!kind || !std::isfinite(value)) return;
  // Whole machines; far more than any account has.
  constexpr double kMost = 1e9;
  const auto count = static_cast<std::int64_t>(std::floor(std::clamp(value, 0.0, kMost)));
  const auto [at, added] = quotas.emplace(*kind, count);
  if (!added) at->second = std::max(at->second, count);
}

}  // namespace trainwarden::rules
