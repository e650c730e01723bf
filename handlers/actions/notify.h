// The action notify (policy.md A5): tells people what happened to a job, and why.
#pragma once

#include <span>

#include "handlers/actions/job.h"
#include "handlers/actions/record.h"
#include "handlers/rules/decide.h"

namespace trainwarden::actions {

// done: what came of the other actions of that decision.
ActionOutcome notify(const Subject& subject, const rules::Decision& decision,
                     const rules::Action& action, std::span<const ActionOutcome> done);

}  // namespace trainwarden::actions
