// The alarms of a watch for one job (policy.md W1): whole PutMetricAlarm requests, from the watch
// and from DescribeTrainingJob's answer. Makes no calls and reads no clock.
//
// One host, and every metric of the algorithm: an alarm on the metric itself. Several hosts: an
// alarm on metric math, which takes at most ten metrics, so that more hosts make several alarms.
// `any` host breaches where one of the alarms does: each of them calls. `every` host breaches where
// all do, and the first alone calls: what it says is confirmed on all hosts (W4), and the sweep
// looks again at alarms that were not confirmed when they called. The `mean` of all hosts is no
// alarm's: but in a period in which it breaches, that of some alarm's hosts does, whatever their
// numbers. So each calls, and as soon as its share of the periods breaches; W4 takes the mean of
// all.
//
// MAX and MIN pass over a host that is silent while others are not
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html). For
// `every` that makes an alarm call too easily, and W4 asks each host; for `any` with missing
// `breaching` it means that a silent host is seen when all hosts of its alarm are silent. AVG
// counts it as 0, which makes an alarm call too easily where less is a breach; W4 asks each host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::rules {

// Metrics of one metric-math alarm:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
inline constexpr int kHostsPerAlarm = 10;

struct PlannedAlarm {
  std::string name;
  std::string body;  // a whole PutMetricAlarm request
  // The watch needs the job's past (W6): the request has no Threshold yet, and must not be made. By
  // all else an alarm that stands can be compared with it.
  bool waits_for_past = false;
};

struct AlarmPlan {
  std::vector<PlannedAlarm> alarms;  // in the order of their numbers
  std::optional<Reason> none = {};   // why there are none; nullopt if there are some
  // What is not known of a machine type, its GPUs or vCPUs, and was counted as one of them (F4).
  std::optional<Reason> counted_as_one = {};
};

// The numbers of alarms that may be left over from an earlier plan, given the number of alarms now:
// one that exists if there were more, and those that exist if they were numbered differently.
std::vector<int> unplanned_parts(std::size_t alarms);

// name: the job's, by which its metrics and alarms are known. topic: the ARN of the topic that the
// alarms publish to. prefix: of the alarms' names.
AlarmPlan plan_alarms(const Watch& watch, std::string_view name, const TrainingJob& job,
                      std::string_view topic, std::string_view prefix = kAlarmPrefix);

}  // namespace trainwarden::rules
