// Checks what a history left behind against the invariants in main.cc.
#pragma once

#include <string>
#include <vector>

#include "tests/chaos/history_evidence.h"

namespace trainwarden::chaos {

struct Violation {
  std::string invariant;  // its name
  std::string text;       // what was found
};

std::vector<Violation> judge(const Evidence& evidence);

}  // namespace trainwarden::chaos
