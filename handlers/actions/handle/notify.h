// The action notify (policy.md A5): notifies people of what happened to a job, and why. A claim in
// the table makes sure that this happens once per job, rule, mode, outcome and topic, even if two
// deliveries race. A notice that rests on an alarm is sent once each time that the watch goes off,
// and at most once an hour. Only CloudWatch knows when the watch went off: it is asked only if a
// notice may be due, and not within an hour of the last one.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// others: the outcomes of the decision's other actions. The result says that the notice was sent
// now or before, that it was only logged (there is no topic), or why it was not sent. A notice that
// cannot be claimed or sent is an error, so that the event comes again.
ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> others);

// The same for a rule that only notifies, before other rules act on the job, since afterwards it
// may not match any more. The notice is drafted and claimed now, and published when the other rules
// are done. If the function dies in between, the next delivery or a sweep sends the claimed notice.
// other_rule: a rule that asks for the job's stop or restart in the same event; empty if none does.
std::variant<ActionOutcome, ClaimedNotice> notify_ahead(const Subject& subject,
                                                        const rules::Decision& decision,
                                                        const rules::Action& action,
                                                        std::span<const ActionOutcome> others,
                                                        std::string_view other_rule);

}  // namespace trainwarden::actions
