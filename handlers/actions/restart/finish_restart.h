// Finishes a restart after the job's end (policy.md A2): makes the pending copy, or gives it up
// with a reason and a notice. It does so whatever the policy says by then, because half a restart
// is worse than either result; only TRAINWARDEN_MODE holds it back.
#pragma once

#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/observed_job.h"

namespace trainwarden::actions {

// The sources needed to know whether a copy of the job is pending: Describe, if the job is Stopped
// or Failed, or its status is unknown. None if copies cannot be made, or the table has no item.
// Completed jobs are left to the sweep.
rules::SourceSet needs_for_end(const rules::Sources& sources, rules::Mode ceiling,
                               const Apis& apis);

// nullopt if no copy is pending. Fails if a source that it needs is unavailable (F1). A copy that
// AWS refuses stays pending, for the next delivery or sweep. rule_asks: a rule asks for a restart
// now; it then handles restarts that were requested after the job's end.
std::optional<ActionOutcome> finish_restart(const Subject& subject, bool rule_asks);

// The same of a job of which the table's index says that something is due. gone: there is no such
// job any more.
std::optional<ActionOutcome> finish_due(const Subject& subject, const std::string& id, bool gone);

// Goes on with what is owed for a job that has ended. item: as it was read last. asked: the rule
// that asks for it now.
std::optional<ActionOutcome> settle_end(const Subject& subject, const std::string& id,
                                        const rules::JobItem& item, const JobSnapshot& original,
                                        const rules::Decision* asked);

// A copy that a rule asks for and that waited for its turn until it was too late (kCopiedWithin):
// it ends as what is owed does, and people hear of it once.
ActionOutcome close_overdue(const Subject& subject, const rules::Decision& asked,
                            const rules::Restart& options);

}  // namespace trainwarden::actions
