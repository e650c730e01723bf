// What a policy asks for and this version cannot do. The policy is taken all the same; whoever owns
// it must know.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/policy.h"

namespace trainwarden::actions {

// One text for each rule and thing, such as "rules[1] watch-gpus: the action watch is not carried
// out by this version".
std::vector<std::string> not_yet(const rules::Policy& policy);

}  // namespace trainwarden::actions
