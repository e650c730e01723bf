// A stop with grace_seconds (policy.md A1) is done by a later look, most often a sweep's. A rule
// that asks which event it was would announce the stop, and not hold when a sweep looks.
#pragma once

#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/reader.h"

namespace trainwarden::rules {

// Reports a mistake for each pattern of a rule with such a stop that a sweep decides otherwise than
// an event because of `event.trigger`. reader.where: the rule.
void check_announced_stop(const Rule& rule, Reader& reader);

}  // namespace trainwarden::rules
