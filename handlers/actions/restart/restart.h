// The action restart (policy.md A2): a running job is stopped in order to be run again, which is
// stored before the stop is requested; an ended job is copied. The guards come first, before
// anything is written. Safe to repeat from any point.
#pragma once

#include <optional>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::actions {

ActionOutcome restart(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action);

// The job's parent; nullopt if it is gone, even if a later job has its name.
Result<std::optional<rules::Sources>> read_parent(const JobSnapshot& original, const Apis& apis);

// Why a restart with these options is refused by its guards; nullopt where it is not. Asks for the
// parent where it decides.
Result<std::optional<rules::Reason>> restart_refusal(const JobSnapshot& original,
                                                     const rules::Restart& options,
                                                     const Apis& apis);

// The same, and what the restart would meet on its way to the copy: another job on the checkpoint,
// a copy that cannot be asked for.
Result<std::optional<rules::Reason>> preflight_refusal(const JobSnapshot& original,
                                                       const rules::Restart& options,
                                                       const Apis& apis);

// Whether a rule's restart of a job that has ended would come to a copy now, as far as the table
// and the guards tell: for a sweep that counts what it would do (P7).
Result<bool> would_copy(const JobSnapshot& original, const rules::Restart& options,
                        const Apis& apis);

}  // namespace trainwarden::actions
