// Rules whose own values contradict each other: sound, and never true. A warning, not a mistake,
// since AWS may let happen what it rules out today. Finds what people get wrong, not all there is.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): …" for each alternative that cannot match, and each exemption that exempts all.
std::vector<std::string> contradictions(const Policy& policy);

// Everything that is told of a sound policy: the loader's warnings, contradictions, alarms that
// nobody hears, and rules that ask for cost in vain.
std::vector<std::string> warnings_of(const Policy& policy);

}  // namespace trainwarden::rules
