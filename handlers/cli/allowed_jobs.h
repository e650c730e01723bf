// What a rule allows by name: teams, machine types, images, numbers. Beside the sample jobs,
// `check` thinks of a running job that has such a value, since no sample has a team of one's own.
#pragma once

#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Whether a job that runs can have a value that the rule itself names as allowed: one that an
// `anything-but` of its match leaves out, one that its match wants absent, or one of its `unless`.
// Statuses and triggers are none: every job goes through them.
bool leaves_some_alone(const rules::Rule& rule);

}  // namespace trainwarden::cli
