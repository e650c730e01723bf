// The action release (policy.md A7): decide again, claim the notice, release the warm pool. A pool
// that is no longer Available is not an error, and a pool that the job's copy may reuse is left
// alone. The action can be repeated from any point. It ends no training, so it takes no slot of the
// brake.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

ActionOutcome release(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action);

}  // namespace trainwarden::actions
