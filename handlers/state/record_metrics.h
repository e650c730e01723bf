// The metrics of one decision record (policy.md R2): namespace Trainwarden, no dimensions, but for
// Suppressed, which has Mode.
#pragma once

#include <vector>

#include "handlers/actions/record.h"
#include "runtime/lambda/metrics.h"

namespace trainwarden::state {

inline constexpr const char* kMetricsNamespace = "Trainwarden";

// One Metrics for each set of dimensions.
std::vector<lambda::Metrics> metrics_of(const actions::Record& record);

}  // namespace trainwarden::state
