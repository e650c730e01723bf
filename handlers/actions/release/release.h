// The action release (policy.md A7): look, claim the notice, let the warm pool go. A pool that is
// not Available any more is no failure, and one that the job's copy may take over is left alone.
// Safe to repeat from any point. It ends no training, and takes no slot of the brake.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

ActionOutcome release(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action);

}  // namespace trainwarden::actions
