// The metrics of decision records (policy.md R2): namespace Trainwarden, no dimensions, but for
// Suppressed, which has Mode.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "handlers/actions/context/record.h"
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

}  // namespace trainwarden::function
