// Warns of alarms that have no effect: rules that wait for alarms which never trigger or are never
// acted on (W4, W5), watches whose alarms no rule puts, and alarms that no rule handles. Warnings
// only, since such a policy is valid.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" or "watches.gpu-idle: …". Nothing is reported twice: if a rule waits for an
// alarm in vain, its watch is not also reported as unhandled.
std::vector<Remark> unheard_alarms(const Policy& policy);

// Whether the rule matches, by name, the state kBlindState (W4).
bool names_blindness(const Rule& rule);

}  // namespace trainwarden::rules
