// Whether an alarm is in ALARM, by the datapoints of its evaluation range. Pure: the datapoints
// come in, a state and its reason go out.
//
// An alarm looks a little further back than its evaluation periods (kLookback). Where enough
// real datapoints are found there, the newest of them decide, and how missing data is treated plays
// no part; else the missing ones are filled in, as few as needed, with what TreatMissingData says.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::localaws {

enum class AlarmState : std::uint8_t { kOk, kAlarm, kInsufficientData };
enum class Comparison : std::uint8_t { kGreaterOrEqual, kGreater, kLess, kLessOrEqual };
enum class MissingData : std::uint8_t { kMissing, kIgnore, kBreaching, kNotBreaching };

// How many periods more than asked for are looked at.
inline constexpr int kLookback = 2;

struct AlarmRule {
  int periods;     // N: EvaluationPeriods
  int datapoints;  // M: DatapointsToAlarm
  double threshold;
  Comparison comparison;
  MissingData missing;
};

struct Datapoint {
  sys_millis begin;
  std::optional<double> value;
};

struct Verdict {
  AlarmState state;
  std::string reason;
  std::vector<Datapoint> evaluated;  // newest first
};

// newest_first: one for each period of the evaluation range, periods + kLookback of them.
// nullopt: the state stays as it is (missing data that is ignored).
std::optional<Verdict> evaluate_alarm(const AlarmRule& rule,
                                      const std::vector<Datapoint>& newest_first,
                                      AlarmState before);

bool breaches(const AlarmRule& rule, double value);
std::string_view name(AlarmState state);  // "OK", "ALARM", "INSUFFICIENT_DATA"

}  // namespace trainwarden::localaws
