// What a training job costs, by the policy's prices: usd_per_hour while it runs, what it has spent,
// and what it would spend up to its MaxRuntime.
#pragma once

#include <optional>

#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct JobCost {
  double usd_per_hour = 0;
  double spent_usd = 0;
  double max_usd = 0;
};

// nullopt without a price for each of its machines, or where it has none of its own.
std::optional<JobCost> cost_of(const TrainingJob& job, const Prices& prices, sys_seconds now);

}  // namespace trainwarden::rules
