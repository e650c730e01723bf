// The action tag (policy.md A5): tags on the job, for its owner and for bills. A tag replaces what
// a person wrote under its key, so the rule is decided again first, as before a stop (A1), and a
// person's tag that arrives late is not overwritten. Tags are written before the stops of the same
// event, since a rule about running jobs would no longer hold afterwards.
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
