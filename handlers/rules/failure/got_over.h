// What a program got over: it tried again, was told better, or took steps after it. Such findings
// weigh less than what the program ended of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// repeated: the lines that were said again.
void let_the_program_go_on(const FailureText& text, std::span<const std::size_t> repeated,
                           std::vector<Finding>& findings);

}  // namespace trainwarden::rules
