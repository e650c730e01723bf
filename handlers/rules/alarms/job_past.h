// What a job itself did in its first six hours, for watches that compare with that (policy.md W6):
// the median of the watch's statistic, in the watch's own periods, from the metric's first
// datapoint of the job on. Interrupted time has no datapoints. Pure: returns the request to
// CloudWatch, and judges the answer. Where there is no past, or not yet, the Reason says why, and
// nothing breaches.
//
// CloudWatch keeps periods that are a multiple of 300 s for 63 days, longer than any job trains,
// and the policy's reader takes no others (1): the same median comes out at the job's end. It is
// read by the epoch's multiples of the period, since CloudWatch rounds older times to its five
// minutes (2).
//
// (1) https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
// (2) https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/witness.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

inline constexpr std::chrono::hours kPastSpan{6};
// What has not arrived so long after the six hours does not count.
inline constexpr std::chrono::minutes kPastArrival{10};

// Why the past of that metric cannot be known by now, whatever CloudWatch has: no metric comes
// before Training begins. nullopt: it must be asked for.
std::optional<Reason> why_no_past_yet(const Watch& watch, const TrainingJob& job, sys_seconds now);

// The metric since Training began, under query_id(1). name: the job's. The Reason is
// why_no_past_yet()'s.
std::expected<MetricRequest, Reason> past_request(const Watch& watch, std::string_view name,
                                                  const TrainingJob& job, sys_seconds now);

struct JobPast {
  double median = 0;            // above 0
  sys_seconds known_from = {};  // six hours and kPastArrival after the first datapoint
};

// Half of the periods must have a datapoint. A value that is no finite number is none.
std::expected<JobPast, Reason> past_of(const Watch& watch, std::span<const Datapoint> series,
                                       sys_seconds now);

// The watch with the threshold that the past gives it.
Watch with_past(const Watch& watch, const JobPast& past);

}  // namespace trainwarden::rules
