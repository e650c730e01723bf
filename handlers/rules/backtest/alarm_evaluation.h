// Whether an alarm of CloudWatch's is in ALARM, by the datapoints of its evaluation range: for a
// replay, which has all of them. Pure.
//
// An alarm looks at two periods more than it counts. Where enough of them have datapoints, the
// newest count alone; else those that are missing count as TreatMissingData says, as few as needed.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "handlers/rules/policy/watch.h"

namespace trainwarden::rules {

inline constexpr std::size_t kPeriodsBefore = 2;

enum class AlarmLight : std::uint8_t { kOk, kAlarm, kInsufficientData };

struct AlarmTerms {
  std::size_t periods;     // EvaluationPeriods
  std::size_t datapoints;  // DatapointsToAlarm
  double threshold;
  Watch::Comparison comparison;
  Watch::Missing missing;

  bool breaches(double value) const;
};

// range: the oldest first, one for each period, at most periods + kPeriodsBefore of them count.
AlarmLight evaluate_alarm(const AlarmTerms& terms, std::span<const std::optional<double>> range,
                          AlarmLight before);

}  // namespace trainwarden::rules
