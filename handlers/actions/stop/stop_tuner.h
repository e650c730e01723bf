// The action stop with `tuning_job` (policy.md A1). If a tuning job or AutoML job (the tuner)
// launched the job, the tuner is stopped instead. This ends all jobs that it runs, also healthy
// ones and those of its other definitions. The events of its jobs come many at once, so the stop,
// the brake's slot and the notices are kept in an item of the tuner, and there is one of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/job/tuner.h"

namespace trainwarden::actions {

// look: at the running job for which the rule still asks for the stop. The job's tags are fetched
// into it if the stop is to be notified. nullopt if the tuner has ended: the job is then stopped
// like any other. A failure leaves the job as it is.
std::optional<ActionOutcome> stop_tuner(const Subject& subject, Rechecked& rechecked,
                                        const rules::TunerRef& ref);

// Sends the notices that are due in a tuner's item (policy.md S1).
std::vector<PendingNotice> settle_tuner(const std::string& id, const Apis& apis);

}  // namespace trainwarden::actions
