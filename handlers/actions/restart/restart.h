// The action restart (policy.md A2): a job that has ended is copied at once; one that runs gets an
// intent in a tag and is stopped, and its copy is made when it has ended. The guards are asked
// first, before anything is written; of a job that our restart stopped, what its intent says is
// carried out, as by finish_restart.h. Safe to repeat from any point.
#pragma once

#include <optional>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/job/intent.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::actions {

ActionOutcome restart(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action);

// Why a restart with these options is refused; nullopt where it is not. Asks for the
// parent where it decides. What copies meet besides (another job on the checkpoint, too many tags)
// is asked by copy().
Result<std::optional<rules::Reason>> restart_refusal(const JobSnapshot& original,
                                                     const rules::Restart& options,
                                                     const Apis& apis, bool by_hand = false);

// The same, and what the restart would meet on its way to the copy: another job on the checkpoint,
// a copy that cannot be asked for, and of a job that runs, an intent that no tag can hold.
Result<std::optional<rules::Reason>> preflight_refusal(const JobSnapshot& original,
                                                       const rules::Restart& options,
                                                       const Apis& apis, bool by_hand);

// What the job was stopped for: the intent that fits its end and was not carried out yet.
std::optional<rules::Intent> open_intent(const JobSnapshot& original);

// What a person's command asks for: of a job that ended by the stop of its restart, what the intent
// says, where the options do not say otherwise.
rules::Restart with_intent(const JobSnapshot& original, rules::Restart options);

// For a person's command: a running job is told to stop and will be copied by the state function,
// one that has ended is copied now, by apis.powers.copy, which must be there. So is one that was
// stopped to be copied, where no state function has done it.
ActionOutcome restart_by_hand(const JobSnapshot& original, const JobRef& job,
                              const rules::Restart& options, const Apis& apis);

// That it was copied, now or before, or refused; or the error.
ActionOutcome outcome_of(Result<Copied> copied);

}  // namespace trainwarden::actions
