// The metrics of decision records (policy.md R2): namespace Trainwarden, no dimensions, but for
// StopsByRule, which has Rule, Suppressed, which has Mode, and SweepCompleted and SweepLeft, which
// have FunctionName.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/context/record.h"
#include "runtime/lambda/log.h"
#include "runtime/lambda/metrics.h"

namespace trainwarden::function {

inline constexpr const char* kMetricsNamespace = "Trainwarden";

// The totals over any number of records.
class MetricsSum {
 public:
  MetricsSum();
  void add(const actions::Record& record);
  // Values that are not in records.
  void count(std::string_view name, std::size_t number);
  // One Metrics for each set of dimensions.
  std::vector<lambda::Metrics> metrics() const;

 private:
  void add_stop(const std::string& rule);

  lambda::Metrics plain_;
  std::vector<std::pair<std::string, int>> stops_by_rule_;  // a delivery stops few jobs
  std::array<int, 2> suppressed_{};                         // in mode observe, in mode notify
};

// The metric of a completed sweep. An alarm goes off if it is missing. The dimension keeps another
// stack's sweeps from silencing that alarm; it is omitted if the ARN has no function name.
lambda::Metrics sweep_completed(std::string_view function_arn);
// The metric of what a sweep left to the next one. An alarm goes off if two in a row leave
// something.
lambda::Metrics sweep_left(std::string_view function_arn, std::size_t left);

// The metric of a policy that could not be read or is invalid (P5).
void count_policy_error(const lambda::Log& log);

}  // namespace trainwarden::function
