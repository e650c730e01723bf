// What happened within a day to other jobs on the same machines, as the document of
// rules::Source::kFleet. By Search, which lags some seconds behind.
#pragma once

#include "handlers/actions/context/job.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// described: the job, which tells the machines. At most 2,000 jobs are looked
// at, those that changed last first: of more, the counts are what these had.
Result<json::Document> count_fleet(const JobRef& job, const rules::TrainingJob& described,
                                   const Apis& apis);

}  // namespace trainwarden::actions
