// The action watch (policy.md W2): the alarms that a rule asks for. Carried out in every mode:
// alarms are instruments (P3).
#pragma once

#include "handlers/actions/job.h"
#include "handlers/actions/record.h"
#include "handlers/rules/decide.h"

namespace trainwarden::actions {

ActionOutcome watch(const Subject& subject, const rules::Decision& decision,
                    const rules::Action& action);

}  // namespace trainwarden::actions
