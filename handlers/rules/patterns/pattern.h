// Event patterns, compiled. A pattern is a disjunction of conjunctions of conditions. A condition
// is a path and a list of tests, one of which must hold for a leaf at that path. Matching follows
// the reference matcher (event-ruler): it looks at leaves only, an array of scalars matches if one
// of them does, two conditions on one array of objects must be met by the same element, and
// `exists: false` requires that the whole path is absent. Matching allocates nothing for events
// without arrays of objects.
//
//   const auto pattern = compile_pattern(policy.root());  // {"state": ["Failed"]}
//   if (!pattern) return fail(pattern.error());
//   const Fields event_fields = Fields::of(event.root(), Fields::Nulls::kLeaves);
//   if (pattern->matches(event_fields)) …                 // {"state": "Failed"} does
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

// What one element of a pattern's list requires of a leaf.
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
    kAddress,      // an IP address in a network, or one given as plain text
    kAnythingBut,  // any leaf but those of form
  };

  Kind kind = Kind::kPresent;
  // Of kAnythingBut: kText, kNumber, kPrefix, kSuffix, kIgnoreCase or kWildcard.
  Kind form = Kind::kText;
  bool boolean = false;
  bool open_low = false;  // low itself is excluded
  bool open_high = false;
  double number = 0;
  double low = 0;
  double high = 0;
  std::string text;  // of kAddress as it was written
  std::vector<std::string> texts;
  std::vector<double> numbers;
  AddressRange addresses;

  bool operator==(const Test&) const = default;
  // The texts that kText or anything-but compares whole values with; empty for other kinds.
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
  // Properties of all tests together (set by add).
  bool numeric = false;    // one compares with numbers
  bool addresses = false;  // one compares with IP addresses
  bool texts_only = true;  // each compares with a whole text: most conditions are a list of texts
  bool absence = false;    // one is `exists: false`

  void add(Test test);
  // Whether a present leaf passes one of the tests. As in the reference matcher, they are not quite
  // independent: beside a test on addresses, an address passes every `anything-but`; a number is
  // compared with networks as text, unless a test compares with numbers.
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
// matters for `exists: false` beside arrays, which depends on the elements chosen before it.
bool path_less(std::string_view a, std::string_view b);

// Whether all conditions, ordered by path_less, hold together. matched, if given, receives the leaf
// that met each condition, or null if absence met it. Its content is valid only on success.
bool matches(std::span<const Condition> conditions, const Fields& fields,
             std::vector<const Fields::Field*>* matched = nullptr);

// A pattern for any JSON event, as EventBridge has it: there are no fact groups, and a dot in a
// member's name is the same as nesting. A repeated path, by `$or` or otherwise, replaces the
// earlier conditions, as in the reference matcher.
struct EventPattern {
  std::vector<std::vector<Condition>> any;

  bool matches(const Fields& event) const;
};

// kInvalidPolicy, naming the path, what was found and what was expected.
Result<EventPattern> compile_pattern(json::Value pattern);

}  // namespace trainwarden::rules
