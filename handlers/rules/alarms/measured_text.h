// Where what a confirmation measured becomes a sentence. As with outcome_text.h, nothing may parse
// it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/measured.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::rules {

// What was asked for, and what each of the hosts did, or their mean: "Maximum GPUUtilization of
// train-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods of 300 s: algo-1: 4, 0.5, 0".
std::string text(const Measured& measured);
// The same, or why nothing was measured.
std::string text(const Measurement& measurement);

// Rounded to a hundredth; below 1 to three significant digits, so that no value but 0 is shown as
// 0, and from 10^9 on to six: "380.5", "0.00214", "1e-05", "3.2e+09".
std::string short_number(double value);

// "%" for a metric that SageMaker measures in percent; otherwise empty.
std::string_view unit_of(const Watch& watch);

// The watch's condition, with its numbers as the policy has them: "Average GPUUtilization below 80
// % of each GPU".
std::string asked_of(const Watch& watch);

// What a share of (W6) is one of.
inline constexpr std::string_view kPastMedian = "the median of its first six hours";

// "below 640 % (80 % for each of 8 GPUs)", "below 612 (0.6 of 1020, the median of the job's first
// six hours)"
std::string threshold_text(const Watch& watch, const AlarmHosts& hosts);

// The first five, and whether there are more: "0, 0.5, 4, 0, 0, …".
std::string shown_values(std::span<const double> values);

// The same, with what it comes to for each GPU or vCPU where the threshold counts for these: "4, 8
// (0.5, 1 per GPU)".
std::string shown_values(std::span<const double> values, const Watch& watch,
                         const AlarmHosts& hosts);

}  // namespace trainwarden::rules
