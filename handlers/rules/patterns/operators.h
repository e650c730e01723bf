// The operators of the pattern language: one element of a pattern's list becomes a Test. What the
// reference matcher refuses is refused here, in our own words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// What an operator is given.
enum class Operand : std::uint8_t {
  kBoolean,
  kText,
  kWildcard,   // a text with stars
  kAffix,      // a text, or {"equals-ignore-case": a text}
  kNetwork,    // 10.0.0.0/8
  kBounds,     // [">=", 0, "<", 8]
  kExclusion,  // texts or numbers, or an operator that can be excluded with texts
};

struct Operator {
  std::string_view name;
  Operand operand;
  Test::Kind kind;          // what it makes
  bool excludable = false;  // whether `anything-but` takes it
};

// By name. The loader reads by this table, and `trainwarden schema` prints it.
std::span<const Operator> operators();

// How `numeric` compares. A pair of bounds is one that is only lower and one that is only upper.
struct Bound {
  std::string_view sign;
  bool lower;
  bool upper;
  bool open;  // the bound itself is outside
};

std::span<const Bound> bounds();

// What kAffix takes in its object.
inline constexpr std::string_view kIgnoreCaseOperator = "equals-ignore-case";

// "found a number `7`"
std::string found(json::Value value);

// nullopt after a complaint.
std::optional<Test> read_test(json::Value item, JsonPath& where, Diagnostics& diagnostics);

// Names that `$or` keeps for operators, those of later times included: no member of that name may
// stand in one of its alternatives.
bool is_reserved_in_or(std::string_view member);

}  // namespace trainwarden::rules
