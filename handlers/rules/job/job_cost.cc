#include "handlers/rules/job/job_cost.h"

#include <algorithm>

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
  double on_demand = 0;
  for (const Instances& some : job.instances) {
    const auto price = prices.find(some.type);
    if (price == prices.end()) return std::nullopt;
    const auto& [usd, spot_factor] = price->second;
    on_demand += usd * some.count;
    out.usd_per_hour += usd * some.count * (job.spot ? spot_factor.value_or(1) : 1);
    if (job.spot && !spot_factor) out.rate_is_bound = true;
  }
  // SageMaker reports billed time in seconds at the full price.
  const double unbilled = unbilled_seconds(job, now);
  out.spent_usd =
      (on_demand * billed_seconds(job).value_or(0) + out.usd_per_hour * unbilled) / kHour;
  out.spent_is_bound = out.rate_is_bound && unbilled > 0;
  out.max_usd = out.usd_per_hour * job_times(job, now).max_runtime_seconds / kHour;
  return out;
}

}  // namespace trainwarden::rules
