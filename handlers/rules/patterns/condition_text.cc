#include "handlers/rules/patterns/condition_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace trainwarden::rules {
namespace {

// At most this many excluded values are listed.
constexpr std::size_t kNamed = 5;

std::string with_unit(double number, std::string_view unit) {
  return fmt::format("{}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::string between(const Test& test, std::string_view unit) {
  if (test.low == test.high) return {};
  std::string out;
  if (std::isfinite(test.low))
    out = fmt::format("{} {}", test.open_low ? "more than" : "at least", with_unit(test.low, unit));
  if (std::isfinite(test.high))
    out += fmt::format("{}{} {}", out.empty() ? "" : " and ", test.open_high ? "below" : "at most",
                       with_unit(test.high, unit));
  return out;
}

std::string named(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += (i == 0 ? "" : ", ") + Scalar::of(std::string_view(all[i])).excerpt();
  if (all.size() > kNamed) out += fmt::format(" and {} more", all.size() - kNamed);
  return out;
}

std::string anything_but(const Test& test, std::string_view unit) {
  if (test.form == Test::Kind::kNumber) {
    std::vector<std::string> numbers;
    numbers.reserve(test.numbers.size());
    for (const double number : test.numbers) numbers.push_back(with_unit(number, unit));
    return "anything but " + named(numbers);
  }
  const std::string texts = named(test.texts);
  switch (test.form) {
    case Test::Kind::kPrefix:
      return "anything that does not begin with " + texts;
    case Test::Kind::kSuffix:
      return "anything that does not end with " + texts;
    case Test::Kind::kWildcard:
      return "anything that does not look like " + texts;
    case Test::Kind::kIgnoreCase:
      return fmt::format("anything but {}, in any case of its letters", texts);
    default:
      return "anything but " + texts;
  }
}

std::string asked_by(const Test& test, std::string_view unit) {
  switch (test.kind) {
    case Test::Kind::kNumeric:
      return between(test, unit);
    case Test::Kind::kAnythingBut:
      return anything_but(test, unit);
    case Test::Kind::kPresent:
      return "any value";
    case Test::Kind::kPrefix:
      return "what begins with " + test.text;
    case Test::Kind::kSuffix:
      return "what ends with " + test.text;
    case Test::Kind::kIgnoreCase:
      return fmt::format("{}, in any case of its letters", test.text);
    case Test::Kind::kPrefixIgnoreCase:
      return fmt::format("what begins with {}, in any case of its letters", test.text);
    case Test::Kind::kSuffixIgnoreCase:
      return fmt::format("what ends with {}, in any case of its letters", test.text);
    case Test::Kind::kWildcard:
      return "what looks like " + test.text;
    case Test::Kind::kAddress:
      return test.text.contains('/') ? "an address in " + test.text : std::string();
    case Test::Kind::kText:
    case Test::Kind::kNumber:
    case Test::Kind::kBoolean:
    case Test::Kind::kNull:
    case Test::Kind::kAbsent:
      break;
  }
  return {};
}

}  // namespace

std::string asked_of(const Condition& condition, const Scalar& leaf, std::string_view unit) {
  for (const Test& test : condition.tests) {
    Condition alone;
    alone.add(test);
    if (alone.accepts(leaf)) return asked_by(test, unit);
  }
  return {};
}

}  // namespace trainwarden::rules
