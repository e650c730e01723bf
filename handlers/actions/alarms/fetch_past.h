// The job's own past, for watches that compare with it (policy.md W6): always GetMetricData's, and
// never what a standing alarm has as its threshold, since people can edit alarms.
#pragma once

#include <expected>

#include "handlers/actions/context/job.h"
#include "handlers/rules/alarms/job_past.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::actions {

// The Reason says why there is none, or not yet; before it can be known nothing is asked. An error
// is neither: it could not be asked for.
Result<std::expected<rules::JobPast, rules::Reason>> fetch_past(const rules::Watch& watch,
                                                                const JobRef& job,
                                                                const rules::TrainingJob& described,
                                                                const Apis& apis);

}  // namespace trainwarden::actions
