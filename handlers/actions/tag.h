// The action tag (policy.md A5): tags on the job, for its owner and for bills.
#pragma once

#include "handlers/actions/job.h"
#include "handlers/actions/record.h"
#include "handlers/rules/decide.h"

namespace trainwarden::actions {

ActionOutcome tag(const Subject& subject, const rules::Decision& decision,
                  const rules::Action& action);

}  // namespace trainwarden::actions
