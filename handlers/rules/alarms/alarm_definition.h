// Whether two alarms are defined alike, where one is a PutMetricAlarm request and the other, or
// both, what DescribeAlarms shows: it segment_totals out what was left to defaults, and promises no
// order of actions, dimensions and metrics. States, times and tags are not of the definition.
#pragma once

#include <cstdint>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// Of the name and the definition.
bool same_alarm(json::Value planned, json::Value described);

// Equal where same_alarm holds; differs otherwise but for chance (64 bits).
std::uint64_t alarm_fingerprint(json::Value planned_or_described);

}  // namespace trainwarden::rules
