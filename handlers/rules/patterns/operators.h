// The operators of the pattern language: one element of a pattern's list becomes a Test. Whatever
// the reference matcher refuses is refused here too, with our own messages.
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

// The argument that an operator takes.
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

// How `numeric` compares. A pair must be one purely lower and one purely upper bound.
struct Bound {
  std::string_view sign;
  bool lower;
  bool upper;
  bool open;  // the bound itself is excluded
};

std::span<const Bound> bounds();

// The member of kAffix's object form.
inline constexpr std::string_view kIgnoreCaseOperator = "equals-ignore-case";

// "found a number `7`"
std::string found(json::Value value);

// nullopt after reporting an error.
std::optional<Test> read_test(json::Value item, JsonPath& where, Diagnostics& diagnostics);

// Names that `$or` reserves for operators, including future ones: no alternative of an `$or` may
// have a member of such a name.
bool is_reserved_in_or(std::string_view member);

}  // namespace trainwarden::rules
