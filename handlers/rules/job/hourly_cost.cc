#include "handlers/rules/job/hourly_cost.h"

#include <algorithm>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_cost.h"

namespace trainwarden::rules {

double hourly_cost(const TrainingJob& job, const Prices& prices, sys_seconds now) {
  if (const auto cost = cost_of(job, prices, now)) return cost->usd_per_hour;
  return at_most(job, [](const Instances& some) {
    return rough_usd_per_hour(some.type) * std::max(some.count, 0.0);
  });
}

}  // namespace trainwarden::rules
