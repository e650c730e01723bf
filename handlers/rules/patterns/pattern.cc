#include "handlers/rules/patterns/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "handlers/rules/patterns/text_match.h"

namespace trainwarden::rules {
namespace {

// The array elements that the leaves chosen so far lie in: at most one of each array.
class Chosen {
 public:
  std::size_t size() const { return bound_.size(); }
  void shrink(std::size_t size) { bound_.resize(size); }

  // Whether a leaf in that element is consistent with the elements chosen so far.
  bool agrees(const Fields& fields, std::int32_t element) const {
    for (; element != Fields::kNoElement; element = fields.element(element).parent) {
      const Fields::Element& e = fields.element(element);
      const Fields::Element* bound = find(e.array);
      if (bound != nullptr && bound->index != e.index) return false;
    }
    return true;
  }

  void choose(const Fields& fields, std::int32_t element) {
    for (; element != Fields::kNoElement; element = fields.element(element).parent) {
      const Fields::Element& e = fields.element(element);
      if (find(e.array) == nullptr) bound_.push_back(e);
    }
  }

 private:
  const Fields::Element* find(std::uint32_t array) const {
    auto at = std::ranges::find(bound_, array, &Fields::Element::array);
    return at == bound_.end() ? nullptr : &*at;
  }

  std::vector<Fields::Element> bound_;
};

class Matcher {
 public:
  Matcher(std::span<const Condition> conditions, const Fields& fields,
          std::vector<const Fields::Field*>* matched)
      : conditions_(conditions), fields_(fields), matched_(matched) {}

  bool from(std::size_t i) {
    if (i == conditions_.size()) return true;
    const Condition& condition = conditions_[i];
    const std::span<const Fields::Field> leaves = fields_.at(condition.path);
    if (condition.accepts_absence() && !any_agrees(leaves)) {
      note(i, nullptr);
      if (from(i + 1)) return true;
    }
    bool free_tried = false;  // a leaf that binds nothing new was chosen, and the rest failed
    for (const Fields::Field& leaf : leaves) {
      if (!chosen_.agrees(fields_, leaf.element) || !condition.accepts(leaf.value)) continue;
      const std::size_t size = chosen_.size();
      chosen_.choose(fields_, leaf.element);
      const bool binds_nothing = chosen_.size() == size;
      if (binds_nothing && free_tried) continue;
      note(i, &leaf);
      if (from(i + 1)) return true;
      chosen_.shrink(size);
      free_tried = free_tried || binds_nothing;
    }
    return false;
  }

 private:
  bool any_agrees(std::span<const Fields::Field> leaves) const {
    return std::ranges::any_of(leaves, [this](const Fields::Field& leaf) {
      return chosen_.agrees(fields_, leaf.element);
    });
  }

  void note(std::size_t i, const Fields::Field* leaf) {
    if (matched_ != nullptr) (*matched_)[i] = leaf;
  }

  const std::span<const Condition> conditions_;
  const Fields& fields_;
  std::vector<const Fields::Field*>* const matched_;
  Chosen chosen_;
};

bool any_of(const std::vector<std::string>& texts, std::string_view text,
            bool (*holds)(std::string_view pattern, std::string_view text)) {
  return std::ranges::any_of(texts,
                             [&](const std::string& pattern) { return holds(pattern, text); });
}

bool equals(std::string_view pattern, std::string_view text) { return pattern == text; }
bool starts(std::string_view pattern, std::string_view text) { return text.starts_with(pattern); }
bool ends(std::string_view pattern, std::string_view text) { return text.ends_with(pattern); }

// Whether a leaf is among what `anything-but` excludes.
bool is_excluded(const Test& test, const Scalar& leaf) {
  if (test.form == Test::Kind::kNumber) {
    return leaf.type == json::Type::kNumber &&
           std::ranges::find(test.numbers, leaf.number) != test.numbers.end();
  }
  if (leaf.type != json::Type::kString) return false;
  switch (test.form) {
    case Test::Kind::kPrefix:
      return any_of(test.texts, leaf.text, starts);
    case Test::Kind::kSuffix:
      return any_of(test.texts, leaf.text, ends);
    case Test::Kind::kIgnoreCase:
      return any_of(test.texts, leaf.text, equals_ignore_case);
    case Test::Kind::kWildcard:
      return any_of(test.texts, leaf.text, matches_wildcard);
    default:
      return any_of(test.texts, leaf.text, equals);
  }
}

bool within(const Test& test, double number) {
  const bool above = test.open_low ? number > test.low : number >= test.low;
  return above && (test.open_high ? number < test.high : number <= test.high);
}

bool passes_text(const Test& test, std::string_view text) {
  switch (test.kind) {
    case Test::Kind::kText:
      return text == test.text;
    case Test::Kind::kPrefix:
      return text.starts_with(test.text);
    case Test::Kind::kSuffix:
      return text.ends_with(test.text);
    case Test::Kind::kIgnoreCase:
      return equals_ignore_case(test.text, text);
    case Test::Kind::kPrefixIgnoreCase:
      return starts_ignore_case(test.text, text);
    case Test::Kind::kSuffixIgnoreCase:
      return ends_ignore_case(test.text, text);
    case Test::Kind::kWildcard:
      return matches_wildcard(test.text, text);
    default:
      return false;
  }
}

// Whether a present leaf passes; never called for kAbsent and kAddress.
bool passes(const Test& test, const Scalar& leaf) {
  if (test.kind == Test::Kind::kPresent) return true;
  if (test.kind == Test::Kind::kAnythingBut) return !is_excluded(test, leaf);
  switch (leaf.type) {
    case json::Type::kString:
      return passes_text(test, leaf.text);
    case json::Type::kNumber:
      if (test.kind == Test::Kind::kNumeric) return within(test, leaf.number);
      return test.kind == Test::Kind::kNumber && test.number == leaf.number;
    case json::Type::kBoolean:
      return test.kind == Test::Kind::kBoolean && test.boolean == leaf.boolean;
    case json::Type::kNull:
      return test.kind == Test::Kind::kNull;
    default:
      return false;
  }
}

}  // namespace

void Condition::add(Test test) {
  numeric = numeric || test.is_numeric();
  addresses = addresses || test.kind == Test::Kind::kAddress;
  texts_only = texts_only && test.kind == Test::Kind::kText;
  absence = absence || test.kind == Test::Kind::kAbsent;
  tests.push_back(std::move(test));
}

bool Condition::passes_any(const Scalar& leaf) const {
  if (!addresses)
    return std::ranges::any_of(tests, [&](const Test& test) { return passes(test, leaf); });
  std::optional<std::string> digits;
  bool is_address = false;
  if (leaf.type == json::Type::kString) {
    digits = address_digits(leaf.text);
    is_address = digits.has_value();
  } else if (leaf.type == json::Type::kNumber && !numeric) {
    digits = fmt::format("{}", leaf.number);
  }
  return std::ranges::any_of(tests, [&](const Test& test) {
    if (test.kind == Test::Kind::kAddress) return digits && test.addresses.contains(*digits);
    return passes(test, leaf) || (is_address && test.kind == Test::Kind::kAnythingBut);
  });
}

bool path_less(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  if (at_a == a.end() || at_b == b.end()) return at_a == a.end() && at_b != b.end();
  const auto x = static_cast<unsigned char>(*at_a);
  const auto y = static_cast<unsigned char>(*at_b);
  // UTF-8 sorts as UTF-16 does, except that surrogates (four bytes in UTF-8) come before U+E000 to
  // U+FFFF (first byte EE or EF).
  const bool a_pair = x >= 0xF0;
  const bool b_pair = y >= 0xF0;
  if (a_pair != b_pair && x >= 0xEE && y >= 0xEE) return a_pair;
  return x < y;
}

bool matches(std::span<const Condition> conditions, const Fields& fields,
             std::vector<const Fields::Field*>* matched) {
  if (matched != nullptr) matched->assign(conditions.size(), nullptr);
  return Matcher(conditions, fields, matched).from(0);
}

bool EventPattern::matches(const Fields& event) const {
  return std::ranges::any_of(
      any, [&event](const auto& conditions) { return rules::matches(conditions, event); });
}

}  // namespace trainwarden::rules
