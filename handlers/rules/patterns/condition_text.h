// Conditions in words, for people.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/patterns/fields.h"
#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules {

// What the condition requires of a leaf that meets it, by the first test that the leaf passes:
// "more than 3", "at least 0 s and below 8 s", "what begins with ml.p", "anything but vision,
// speech". `unit` follows each number. Empty if the test names the leaf's very value: a plain value
// or an address.
std::string asked_of(const Condition& condition, const Scalar& leaf, std::string_view unit);

}  // namespace trainwarden::rules
