// Whether two alarms are defined alike. Each may be a PutMetricAlarm request or an alarm from
// DescribeAlarms, which spells out defaults and guarantees no order of actions, dimensions and
// metrics. States, times and tags are not part of the definition.
#pragma once

#include <cstdint>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// The threshold of a watch that compares with a job's past (W6) is not compared: it takes a query
// to know it, and what an alarm says is confirmed against the past itself.
enum class Compared : std::uint8_t { kAll, kAllButThreshold };

// Compares the name and the definition.
bool same_alarm(json::Value planned, json::Value described, Compared compared = Compared::kAll);

// Equal if same_alarm holds; otherwise different, except for collisions of 64 bits.
std::uint64_t alarm_fingerprint(json::Value planned_or_described,
                                Compared compared = Compared::kAll);

}  // namespace trainwarden::rules
