// Which values our own facts can have: the hours of a day, its days, shares, counts. A policy that
// asks for another value asks for what no job has, today or later, so that it is a mistake (P2);
// only AWS may add to what is its own.
#pragma once

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules {

// Whether the values of that fact are known to be such numbers, or words; if so, reports a test
// that none of them passes, and each value that the test names and none of them is.
bool review_value(const FactPath& fact, const Test& test, const JsonPath& where,
                  Diagnostics& diagnostics);

}  // namespace trainwarden::rules
