// The action stop with `tuning_job` (policy.md A1): of a job that a tuning or AutoML job launched,
// that one is stopped, which ends all that it runs, healthy jobs and those of other definitions
// too. Its children's events come many at once: the stop, the brake's slot and the notices are kept
// in an item of the tuner's own, so that there is one of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/job/tuner.h"

namespace trainwarden::actions {

// look: of the job, which runs, and for which the rule still asks for it; the job's tags are added
// where people hear of the stop. nullopt where the tuner
// has ended: then the job is one like any other. What fails leaves the job as it is.
std::optional<ActionOutcome> stop_tuner(const Subject& subject, SecondLook& look,
                                        const rules::TunerRef& ref);

// What is due in a tuner's item (policy.md S1): its notices.
std::vector<PendingNotice> see_to_tuner(const std::string& id, const Apis& apis);

}  // namespace trainwarden::actions
