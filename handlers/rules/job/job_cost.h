// What a training job costs, by the policy's prices: usd_per_hour while it runs, what it has spent,
// and what it would spend up to its MaxRuntime. Managed spot training pays a share of the price,
// the spot_factor. BillableTimeInSeconds of a finished job already contains that discount, so it
// counts at the full price.
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
  // usd_per_hour and max_usd are upper bounds: the job is a spot job and a price has no
  // spot_factor, or AWS has not selected one of the job's preferences.
  bool rate_is_bound = false;
  bool spent_is_bound = false;  // spent_usd is an upper bound too
};

// The types of its machines that have no price, each once. Empty for a serverless job, which has no
// machines and needs no price by the hour.
std::vector<std::string> unpriced_types(const TrainingJob& job, const Prices& prices);

// nullopt if one of its machines has no price, or if it has no machines of its own.
std::optional<JobCost> cost_of(const TrainingJob& job, const Prices& prices, sys_seconds now);

}  // namespace trainwarden::rules
