// The action tag (policy.md A5): tags on the job, for its owner and for bills. Writing one replaces
// what a person wrote, so the rule is looked at again first, as before a stop (A1): a tag that
// arrives late is not overwritten. Tags are written before the stops of the same event, since a
// rule about running jobs would no longer hold afterwards.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// "tagged", "already tagged", "not done: …", "refused: …" (50 tags, a tag policy: trying again does
// not help).
ActionOutcome tag(const Subject& subject, const rules::Decision& decision,
                  const rules::Action& action);

}  // namespace trainwarden::actions
