// The action notify (policy.md A5): tells people what happened to a job, and why. Once per job,
// rule, generation and what came of it, remembered in the job's tag `trainwarden:told`. Published
// first and remembered then: a function that dies between the two tells twice; so
// may two deliveries at the same moment, since tags cannot be compared and set. A sweep tells
// nothing of a job whose tag cannot be written: it would tell it again every time.
#pragma once

#include <optional>
#include <span>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// others: what came of the other actions of that decision. What comes out is that it was told, now
// or before, or logged (there is no topic), or not told, and why. A notice that cannot be published
// is an error: the event comes again.
ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> others);

// The notice of a stop that came with an earlier delivery of the same event, which died, or failed
// to publish, before it could tell. The job is stopping since, so the rule no longer matches; what
// was done stands in the job's tags. Asks AWS only where an event that came late says that there
// may be such a notice. nullopt where none is owed.
//
// Or the notice that a job that was stopped for a restart is not copied: its intent is void, by
// what became of it just now (intent, where there was one), or by the tags, where an earlier
// delivery made it void and could not tell; or the copy was refused by AWS, and, later, that it was
// made after all.
std::optional<DecisionOutcome> owed_notice(const Subject& subject,
                                           std::span<const DecisionOutcome> outcomes,
                                           const ActionOutcome* intent);

}  // namespace trainwarden::actions
