#include "handlers/rules/job/job_cost.h"

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {

std::optional<JobCost> cost_of(const TrainingJob& job, const Prices& prices, sys_seconds now) {
  constexpr double kHour = 3600;
  if (job.instances.empty()) return std::nullopt;
  JobCost out;
  for (const Instances& some : job.instances) {
    const auto price = prices.find(some.type);
    if (price == prices.end()) return std::nullopt;
    out.usd_per_hour += price->second * some.count;
  }
  out.spent_usd = out.usd_per_hour * paid_seconds(job, now) / kHour;
  out.max_usd = out.usd_per_hour * job_times(job, now).max_runtime_seconds / kHour;
  return out;
}

}  // namespace trainwarden::rules
