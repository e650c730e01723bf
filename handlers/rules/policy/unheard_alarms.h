// Whether what a policy says of alarms comes to anything: rules that wait for alarms which never
// call or are never acted on (W4, W5), watches that no rule puts, and alarms that nobody hears.
// Warnings, since such a policy is sound.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" or "watches.gpu-idle: …". Nothing is told twice: of a rule that waits for an
// alarm in vain, not also that its watch has no other.
std::vector<std::string> unheard_alarms(const Policy& policy);

// Whether the rule asks by name for alarms whose job nobody can hear (W4).
bool names_blindness(const Rule& rule);

}  // namespace trainwarden::rules
