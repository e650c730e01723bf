// What each line of a text is: which report a failure, and how, and which bear no verdict whatever
// words they use. Decided by form, before any word of the vocabulary is looked at.
#pragma once

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

// Sets Line::structure of every line. reason: the text is a FailureReason, each line of which
// speaks of the failure.
void read_structures(FailureText& text, bool reason);

// For people: "exception", "kernel", …
std::string_view name_of(Structure structure);

}  // namespace trainwarden::rules
