// Event patterns, compiled. A pattern is a disjunction of conjunctions of conditions; a condition
// is a path and the tests of which one must hold for a leaf of that path. Matching follows the
// reference matcher (event-ruler): it looks at leaves only, an array of scalars matches if one of
// them does, two conditions on one array of objects must be met by the same element, and `exists:
// false` asks for the absence of the whole path. Matching allocates nothing for events without
// arrays of objects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/fields.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// What one element of a pattern's list asks of a leaf.
struct Test {
  enum class Kind : std::uint8_t { kText, kNumber, kBoolean, kNull, kPresent, kAbsent };

  Kind kind = Kind::kPresent;
  bool boolean = false;
  double number = 0;
  std::string text;

  // Whether a leaf that is there passes; never for kAbsent.
  bool accepts(const Scalar& leaf) const;
};

struct Condition {
  std::string path;
  std::vector<Test> tests;

  bool accepts(const Scalar& leaf) const;
  // Whether one of the tests is `exists: false`.
  bool accepts_absence() const;
};

// The order in which the reference matcher takes a conjunction's conditions: by path, as UTF-16. It
// matters to `exists: false` beside arrays, which sees the elements that were chosen before it.
bool path_less(std::string_view a, std::string_view b);

// Whether all conditions, ordered by path_less, hold together. matched, if given, receives for
// every condition the leaf that met it, or null where absence did; its content counts only on
// success.
bool matches(std::span<const Condition> conditions, const Fields& fields,
             std::vector<const Fields::Field*>* matched = nullptr);

// A pattern for any JSON event, as EventBridge has it: fact groups play no part, a dot in a
// member's name is the same as nesting.
struct EventPattern {
  std::vector<std::vector<Condition>> any;

  bool matches(const Fields& event) const;
};

// kInvalidPolicy, naming the path, what was found and what was expected.
Result<EventPattern> compile_pattern(json::Value pattern);

}  // namespace trainwarden::rules
