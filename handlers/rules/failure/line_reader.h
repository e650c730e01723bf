// What one line tells that may bear a verdict: its signatures, codes and exceptions, each as far as
// the line is to be trusted.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// Adds to out what the line at index tells. from: where to begin in what was said.
void read_line(const FailureText& text, std::size_t index, Tier tier,
               std::span<const OwnSignature> own, std::vector<Finding>& out, std::size_t from = 0);

}  // namespace trainwarden::rules
