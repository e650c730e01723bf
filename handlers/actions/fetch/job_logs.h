// The end of what a training job wrote, on all of its hosts, as the document of
// rules::Source::kLogs: {"tail": [line, …]}, the oldest first. Bounded in time, events and bytes.
#pragma once

#include "handlers/actions/context/job.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// described: the job, which tells when it ended. A job that wrote nothing
// has an empty tail; so has one whose log group does not exist. kUnavailable where there is nothing
// yet from a job that has only just ended: lines arrive late (F1).
Result<json::Document> tail_of_logs(const JobRef& job, const rules::TrainingJob& described,
                                    const Apis& apis);

}  // namespace trainwarden::actions
