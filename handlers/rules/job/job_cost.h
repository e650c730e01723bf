// What a training job costs, by the policy's prices: usd_per_hour while it runs, what it has spent,
// and what it would spend up to its MaxRuntime. Managed spot training pays a share of the price,
// the spot_factor, and tells what it paid when it has ended: BillableTimeInSeconds contains the
// discount, so that it counts at the full price.
// https://docs.aws.amazon.com/sagemaker/latest/dg/model-managed-spot-training.html
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct JobCost {
  double usd_per_hour = 0;
  double spent_usd = 0;
  double max_usd = 0;
  // Of a spot job a machine's price has no spot_factor: usd_per_hour and max_usd are upper bounds.
  bool rate_is_bound = false;
  bool spent_is_bound = false;  // and so is spent_usd
};

// The types of its machines that have no price, each once. None where it has no machines of its own
// (serverless), which have no price by the hour and need none.
std::vector<std::string> unpriced_types(const TrainingJob& job, const Prices& prices);

// nullopt without a price for each of its machines, or where it has none of its own.
std::optional<JobCost> cost_of(const TrainingJob& job, const Prices& prices, sys_seconds now);

}  // namespace trainwarden::rules
