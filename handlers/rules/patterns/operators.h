// The operators of the pattern language: one element of a pattern's list becomes a Test. What the
// reference matcher refuses is refused here, in our own words.
#pragma once

#include <optional>

#include "handlers/rules/patterns/complaints.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// "found a number `7`"
std::string found(json::Value value);

// nullopt after a complaint.
std::optional<Test> read_test(json::Value item, Where& where, Complaints& complaints);

// Names that `$or` keeps for operators, those of later times included: no member of that name may
// stand in one of its alternatives.
bool is_reserved_in_or(std::string_view member);

}  // namespace trainwarden::rules
