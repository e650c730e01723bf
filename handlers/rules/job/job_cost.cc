#include "handlers/rules/job/job_cost.h"

#include <algorithm>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {

std::vector<std::string> unpriced_types(const TrainingJob& job, const Prices& prices) {
  std::vector<std::string> out;
  for (const Instances& some : job.instances) {
    if (prices.contains(some.type) || std::ranges::find(out, some.type) != out.end()) continue;
    out.emplace_back(some.type);
  }
  return out;
}

std::optional<JobCost> cost_of(const TrainingJob& job, const Prices& prices, sys_seconds now) {
  constexpr double kHour = 3600;
  if (job.instances.empty()) return std::nullopt;
  JobCost out;
  for (const Instances& some : job.instances) {
    const auto price = prices.find(some.type);
    if (price == prices.end()) return std::nullopt;
    if (job.spot && !price->second.spot_factor) out.rate_is_bound = true;
  }
  const auto on_demand_of = [&](const Instances& some) {
    return prices.find(some.type)->second.usd * some.count;
  };
  const double on_demand = at_most(job, on_demand_of);
  out.usd_per_hour = at_most(job, [&](const Instances& some) {
    const auto& spot_factor = prices.find(some.type)->second.spot_factor;
    return on_demand_of(some) * (job.spot ? spot_factor.value_or(1) : 1);
  });
  out.rate_is_bound = out.rate_is_bound || job.one_of;
  // SageMaker reports billed time in seconds at the full price.
  const double unbilled = unbilled_seconds(job, now);
  out.spent_usd =
      (on_demand * billed_seconds(job).value_or(0) + out.usd_per_hour * unbilled) / kHour;
  out.spent_is_bound = (out.rate_is_bound && unbilled > 0) || (job.one_of && out.spent_usd > 0);
  out.max_usd = out.usd_per_hour * job_times(job, now).max_runtime_seconds / kHour;
  return out;
}

}  // namespace trainwarden::rules
