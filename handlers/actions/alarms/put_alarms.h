// The action watch (policy.md W2): the alarms that a rule asks for. Carried out in every mode,
// since alarms are instruments (P3), and again and again without harm: only what is absent or
// different is put, and a late or doubled event finds nothing to do. Afterwards the job is looked
// at once more; if it has ended meanwhile, its alarms are deleted at once. An alarm that
// compares with the job's own past (W6) is put by a later event or a sweep, when that is known.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// An alarm that stands in ALARM from before the current Training segment is put back to
// INSUFFICIENT_DATA, since it would not call again. One that cannot be put or looked at is an error
// of the outcome, after the others were seen to.
ActionOutcome watch(const Subject& subject, const rules::Decision& decision,
                    const rules::Action& action);

}  // namespace trainwarden::actions
