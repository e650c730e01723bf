// The alarms that stand for a job: all of `trainwarden/<job>/`, and no other (policy.md W3).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/alarms/alarm_name.h"

namespace trainwarden::actions {

// each(name, alarm) gets every alarm of the job's, as DescribeAlarms has it.
Result<void> each_alarm(
    const JobRef& job, const Apis& apis,
    const std::function<void(const rules::AlarmName& name, json::Value alarm)>& each);

// Whether what that error kept from being done to alarms is left to the sweep: CloudWatch takes few
// calls a second, and whoever may put alarms under the prefix can put more of them than are read
// for a job.
bool is_left_to_sweep(const Error& error);

// Deletes all of them; if there are none, it does and reports nothing. Throttled deletions are left
// to the sweep. The caller must know that the job has ended or is gone.
AlarmChanges delete_alarms_of(const JobRef& job, const Apis& apis);

// Of any jobs.
Result<void> delete_alarms(std::span<const std::string> names, const Apis& apis);

// W3, after an event that says so, where the job is gone, or where it may have ended (the sweep).
// Only where there are alarms is the job looked at once more, unless that was done already: they
// are deleted where it has ended or is gone, and where the event speaks of the end of the very job
// that the name has now. Mode and TRAINWARDEN_ALARMS play no part. A sweep that has listed the
// job's alarms sees to them itself, a hundred at once.
AlarmChanges delete_alarms_of_ended(const Subject& subject, bool gone);

}  // namespace trainwarden::actions
