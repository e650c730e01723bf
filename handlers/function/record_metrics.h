// The metrics of decision records (policy.md R2): namespace Trainwarden, no dimensions, but for
// Suppressed, which has Mode, and SweepCompleted, which has FunctionName.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "handlers/actions/context/record.h"
#include "runtime/lambda/log.h"
#include "runtime/lambda/metrics.h"

namespace trainwarden::function {

inline constexpr const char* kMetricsNamespace = "Trainwarden";

// What any number of records add up to.
class MetricsSum {
 public:
  MetricsSum();
  void add(const actions::Record& record);
  // What records do not tell.
  void count(std::string_view name, std::size_t number);
  // One Metrics for each set of dimensions.
  std::vector<lambda::Metrics> metrics() const;

 private:
  lambda::Metrics plain_;
  std::array<int, 2> suppressed_{};  // in mode observe, in mode notify
};

// That a sweep came to its end. An alarm goes off where it stays out, and must not be kept quiet by
// the sweeps of another stack: hence the dimension, which is left out where the ARN tells no name.
lambda::Metrics sweep_completed(std::string_view function_arn);

// That the policy could not be read, or is none (P5).
void count_policy_error(const lambda::Log& log);

}  // namespace trainwarden::function
