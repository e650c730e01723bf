// Whether a rule allows jobs by name: by team, machine type, image or number. `check` warns of a
// rule that stops all sample jobs. No sample has the user's own team names, so for a rule that
// names an allowed value `check` assumes a running job that has it.
#pragma once

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Whether a running job can have a value that the rule itself names as allowed: one that an
// `anything-but` of its match leaves out, one that its match wants absent, or one of its `unless`.
// Statuses and triggers do not count, since every job goes through them.
bool leaves_some_alone(const rules::Rule& rule);

}  // namespace trainwarden::cli
