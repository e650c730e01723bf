// Conditions in words, for people.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/patterns/fields.h"
#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules {

// What the condition asks of a leaf that meets it, by the first test that the leaf passes: "more
// than 3", "at least 0 s and below 8 s", "what begins with ml.p", "anything but vision, speech".
// unit stands behind each number. Empty where the leaf is what was asked for: a plain value, or an
// address.
std::string asked_of(const Condition& condition, const Scalar& leaf, std::string_view unit);

}  // namespace trainwarden::rules
