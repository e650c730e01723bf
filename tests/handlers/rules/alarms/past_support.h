// A watch that compares with the job's own past (policy.md W6).
#pragma once

#include <cstdint>
#include <limits>

#include "handlers/rules/policy/watch.h"

namespace trainwarden::rules::past_support {

// Half an hour, six periods of five minutes, below 0.6 of what it was.
inline Watch slower(std::int64_t period_seconds = 300) {
  Watch watch;
  watch.name = "slower";
  watch.metric = "train:samples_per_second";
  watch.source = Watch::Source::kAlgorithm;
  watch.statistic = "p50";
  watch.period_seconds = period_seconds;
  watch.periods = 6;
  watch.datapoints = 6;
  watch.comparison = Watch::Comparison::kBelow;
  watch.threshold = std::numeric_limits<double>::quiet_NaN();
  watch.drop_to = 0.6;
  return watch;
}

}  // namespace trainwarden::rules::past_support
