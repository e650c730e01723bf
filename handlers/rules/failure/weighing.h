// What findings mean for each other: which was got over, which is what another left behind, and
// which lines count at all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// Changes the findings' ranks and tiers. repeated: lines that were said again.
void weigh(const FailureText& text, std::span<const std::size_t> repeated,
           std::vector<Finding>& findings);

}  // namespace trainwarden::rules
