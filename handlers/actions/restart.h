// The action restart (policy.md A2): a job that has ended is copied at once; one that runs gets an
// intent in a tag and is stopped, and its copy is made when it has ended.
#pragma once

#include "handlers/actions/job.h"
#include "handlers/actions/record.h"
#include "handlers/rules/decide.h"

namespace trainwarden::actions {

ActionOutcome restart(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action);

}  // namespace trainwarden::actions
