// What was paid for jobs, summed by how they ended: for `trainwarden backtest` and `report`, and
// for the weekly report (policy.md S2). A job without a price adds to no sum of money, and is
// counted instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

enum class Spending : std::uint8_t {
  kCompleted,  // for jobs that completed, and nothing of it is one of the last three
  kFailed,
  kStopped,    // also by SageMaker at a limit
  kNotOver,    // the job ran when the export was made, or its state is not known
  kKept,       // after right stops: it would not have been spent
  kDestroyed,  // before wrong stops: it was spent on work that the policy would have thrown away
  kOther,      // after stops of rules about what a job is, after unknown ones, and after restarts
};
inline constexpr std::size_t kSpendings = 7;

// "completed", "failed", "stopped", "not_over", "kept", "destroyed", "other": members of JSON.
std::string_view name(Spending spending);
// How it counts by its status alone: one of the first four.
Spending by_end(JobStatus status);

using Split = std::array<double, kSpendings>;  // USD, by Spending

// What was paid for one job, up to its end or, if it runs, up to `until`. What is negative is
// nonsense, and left out.
struct JobBill {
  std::optional<double> hours = {};  // of the job, each with all of its machines
  std::optional<double> usd = {};    // nullopt: a machine has no price
  bool usd_is_bound = false;         // an upper bound
};
JobBill bill_of(const TrainingJob& job, const Prices& prices, sys_seconds until);

struct Sum {
  std::size_t jobs = 0;
  std::size_t without_price = 0;  // of the jobs
  std::size_t bounds = 0;         // whose cost is an upper bound
  double hours = 0;               // of jobs, as far as they are known
  Split split = {};

  double usd() const;  // what was paid
  double of(Spending spending) const { return split[static_cast<std::size_t>(spending)]; }
};

// split: all 0 for a job without a price.
void add_to(Sum& sum, const JobBill& bill, const Split& split);

}  // namespace trainwarden::rules
