// The second phase of a restart (policy.md A2): a job that was stopped to be copied has ended. An
// intent that fits is carried out in every mode, because half a restart is worse than either end;
// one that does not is overwritten, so that it cannot be taken for one later.
#pragma once

#include <optional>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"

namespace trainwarden::actions {

// What must be asked for to know whether there is an intent: the tags of a job that is Stopped or
// Failed, and before them its status where nobody told it. A job that completed is not asked for
// its tags. An intent may be older than the policy,
// so that no rule decides this. Nothing where no copies can be made.
rules::SourceSet needs_for_intent(const rules::Sources& sources, const Apis& apis);

// nullopt where there is no intent, or it has led to its copy already. What it needs was asked for:
// where that could not be had, this fails (F1). An intent whose copy is refused by AWS stays, for
// the next delivery or sweep; of a job that completed it is made void, where the tags are known.
std::optional<ActionOutcome> finish_restart(const Subject& subject);

}  // namespace trainwarden::actions
