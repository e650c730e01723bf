// The metrics of decision records (policy.md R2): namespace Trainwarden, no dimensions, but for
// Suppressed, which has Mode.
#pragma once

#include <array>
#include <vector>

#include "handlers/actions/record.h"
#include "handlers/actions/sweep.h"
#include "runtime/lambda/metrics.h"

namespace trainwarden::state {

inline constexpr const char* kMetricsNamespace = "Trainwarden";

// What any number of records add up to.
class MetricsSum {
 public:
  MetricsSum();
  void add(const actions::Record& record);
  // What the records of its jobs do not tell.
  void add(const actions::SweepReport& report);
  // One Metrics for each set of dimensions.
  std::vector<lambda::Metrics> metrics() const;

 private:
  lambda::Metrics plain_;
  std::array<int, 2> suppressed_{};  // in mode observe, in mode notify
};

}  // namespace trainwarden::state
