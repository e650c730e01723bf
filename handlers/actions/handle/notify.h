// The action notify (policy.md A5): tells people what happened to a job, and why. Once per job,
// rule, mode, what came of it and topic, by a claim in the table: not told twice by two deliveries
// at the same moment either. What an alarm asks for is told once each time that the watch goes off,
// and once an hour at most. When it did is CloudWatch's word alone: it is asked when something is
// to be told, and not where less than an hour has passed.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// others: what came of the other actions of that decision. What comes out is that it was told, now
// or before, or logged (there is no topic), or not told, and why. A notice that cannot be claimed
// or sent is an error: the event comes again.
ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> others);

// The same for a rule that only tells, ahead of what other rules do to the job, since it may not
// match any more after that: looked at and claimed, to be published when they are done. A function
// that dies in between leaves a claim, which is sent by the next delivery or a sweep. other_rule:
// one that asks for the job's stop or restart in the same event; empty: none.
std::variant<ActionOutcome, ClaimedNotice> notify_ahead(const Subject& subject,
                                                        const rules::Decision& decision,
                                                        const rules::Action& action,
                                                        std::span<const ActionOutcome> others,
                                                        std::string_view other_rule);

}  // namespace trainwarden::actions
