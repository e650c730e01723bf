// What the lines around a finding change about its label and its verdict: the numbers in its
// message, the frames before it, what was said right before. Asked of the finding that counts only.
#pragma once

#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// text: that the finding is of. A team's own signature stays as it is.
void refine(Finding& found, const FailureText& text);

}  // namespace trainwarden::rules
