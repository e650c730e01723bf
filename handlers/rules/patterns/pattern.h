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

#include "handlers/rules/patterns/address.h"
#include "handlers/rules/patterns/fields.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// What one element of a pattern's list asks of a leaf.
struct Test {
  enum class Kind : std::uint8_t {
    kText,
    kNumber,
    kBoolean,
    kNull,
    kPresent,
    kAbsent,
    kPrefix,
    kSuffix,
    kIgnoreCase,
    kPrefixIgnoreCase,
    kSuffixIgnoreCase,
    kWildcard,
    kNumeric,      // between low and high
    kAddress,      // an IP address in a network, or one that was given as plain text
    kAnythingBut,  // any leaf but those of form
  };

  Kind kind = Kind::kPresent;
  // Of kAnythingBut: kText, kNumber, kPrefix, kSuffix, kIgnoreCase or kWildcard.
  Kind form = Kind::kText;
  bool boolean = false;
  bool open_low = false;  // low itself is outside
  bool open_high = false;
  double number = 0;
  double low = 0;
  double high = 0;
  std::string text;  // of kAddress as it was written
  std::vector<std::string> texts;
  std::vector<double> numbers;
  AddressRange addresses;

  bool operator==(const Test&) const = default;
  // The texts that a value is compared with as a whole, by kText or by anything-but; else none.
  std::span<const std::string> whole_texts() const {
    if (kind == Kind::kText) return {&text, 1};
    if (kind == Kind::kAnythingBut && form == Kind::kText) return texts;
    return {};
  }
  // Whether it compares with numbers.
  bool is_numeric() const {
    return kind == Kind::kNumber || kind == Kind::kNumeric ||
           (kind == Kind::kAnythingBut && form == Kind::kNumber);
  }
};

struct Condition {
  std::string path;
  std::vector<Test> tests;
  // What the tests ask of all leaves together (set by add).
  bool numeric = false;    // one compares with numbers
  bool addresses = false;  // one compares with IP addresses
  bool texts_only = true;  // each compares with a whole text: most conditions are a list of texts
  bool absence = false;    // one is `exists: false`

  void add(Test test);
  // Whether a leaf that is there passes one of the tests. They are not quite independent, as in the
  // reference matcher: beside a test on addresses, an address passes every `anything-but`; a number
  // is held against networks as text, unless a test compares with numbers.
  bool accepts(const Scalar& leaf) const {
    return texts_only ? is_one_of_texts(leaf) : passes_any(leaf);
  }
  bool accepts_absence() const { return absence; }

 private:
  bool is_one_of_texts(const Scalar& leaf) const {
    if (leaf.type != json::Type::kString) return false;
    for (const Test& test : tests)
      if (leaf.text == test.text) return true;
    return false;
  }
  bool passes_any(const Scalar& leaf) const;
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
// member's name is the same as nesting. A path that is given again, by `$or` or otherwise, replaces
// what was said before, as the reference has it.
struct EventPattern {
  std::vector<std::vector<Condition>> any;

  bool matches(const Fields& event) const;
};

// kInvalidPolicy, naming the path, what was found and what was expected.
Result<EventPattern> compile_pattern(json::Value pattern);

}  // namespace trainwarden::rules
