#include "handlers/rules/job/spending.h"

#include <numeric>

#include "handlers/rules/job/job_cost.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {

std::string_view name(Spending spending) {
  static constexpr std::array<std::string_view, kSpendings> kNames = {
      "completed", "failed", "stopped", "not_over", "kept", "destroyed", "other"};
  return kNames[static_cast<std::size_t>(spending)];
}

Spending by_end(JobStatus status) {
  switch (status) {
    case JobStatus::kCompleted:
      return Spending::kCompleted;
    case JobStatus::kFailed:
      return Spending::kFailed;
    case JobStatus::kStopped:
    case JobStatus::kDeleting:
      return Spending::kStopped;
    case JobStatus::kUnknown:
    case JobStatus::kInProgress:
    case JobStatus::kStopping:
      break;
  }
  return Spending::kNotOver;
}

JobBill bill_of(const TrainingJob& job, const Prices& prices, sys_seconds until) {
  constexpr double kHour = 3600;
  const sys_seconds end = job.ended().value_or(until);
  JobBill out;
  if (const double paid = paid_seconds(job, end); paid >= 0) out.hours = paid / kHour;
  if (const auto cost = cost_of(job, prices, end); cost && cost->spent_usd >= 0) {
    out.usd = cost->spent_usd;
    out.usd_is_bound = cost->spent_is_bound;
  }
  return out;
}

double Sum::usd() const { return std::accumulate(split.begin(), split.end(), 0.0); }

void add_to(Sum& sum, const JobBill& bill, const Split& split) {
  ++sum.jobs;
  if (!bill.usd) ++sum.without_price;
  if (bill.usd && bill.usd_is_bound) ++sum.bounds;
  sum.hours += bill.hours.value_or(0);
  for (std::size_t i = 0; i < split.size(); ++i) sum.split[i] += split[i];
}

}  // namespace trainwarden::rules
