// Makes the copy that a restart owes (policy.md A3). Safe to repeat from any point, by any number
// of functions at once: the attempt is stored first, and the copy's name depends on the job alone,
// so that the second caller finds the first one's copy and is done. The state function and a
// person's command include this: the alarm function creates no jobs.
#pragma once

#include <string_view>

#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/restart/pending_copy.h"

namespace trainwarden::actions {

// After an error of CreateTrainingJob the copy stays pending, for the next delivery or sweep.
Result<Copied> make_pending_copy(const PendingCopy& pending, const Subject& subject);

// The request of CreateTrainingJob; once more without what SageMaker says a built-in algorithm
// brings itself.
Result<void> create_copy(const JobSnapshot& original, const rules::CopyChanges& changes,
                         std::string_view name, const Apis& apis, const aws::CallContext& context,
                         rules::CopyParts parts = {});

}  // namespace trainwarden::actions
