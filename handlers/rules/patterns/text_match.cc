#include "handlers/rules/patterns/text_match.h"

#include <fmt/format.h>

#include <cstddef>

#include "handlers/rules/patterns/letter_case.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80U; }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The bytes of the character that begins at i.
std::size_t size_at(std::string_view text, std::size_t i) {
  std::size_t end = i + 1;
  while (end < text.size() && continues(text[end])) ++end;
  return end - i;
}

// Removes one character of the pattern, in either case, from the front of text; false if text does
// not begin with it. No character's lower case begins with its upper case, so that the first that
// fits is right.
bool take_front(std::string_view letter, std::string_view& text) {
  if (letter.size() == 1 && is_ascii(letter[0])) {
    if (text.empty() || to_lower(text[0]) != to_lower(letter[0])) return false;
    text.remove_prefix(1);
    return true;
  }
  const Cases cases = cases_of(letter);
  for (const std::string& form : {cases.lower, cases.upper}) {
    if (!text.starts_with(form)) continue;
    text.remove_prefix(form.size());
    return true;
  }
  return false;
}

bool take_back(std::string_view letter, std::string_view& text) {
  if (letter.size() == 1 && is_ascii(letter[0])) {
    if (text.empty() || to_lower(text.back()) != to_lower(letter[0])) return false;
    text.remove_suffix(1);
    return true;
  }
  const Cases cases = cases_of(letter);
  for (const std::string& form : {cases.lower, cases.upper}) {
    if (!text.ends_with(form)) continue;
    text.remove_suffix(form.size());
    return true;
  }
  return false;
}

bool take_all(std::string_view pattern, std::string_view& text) {
  for (std::size_t i = 0; i < pattern.size();) {
    const std::size_t size = size_at(pattern, i);
    if (!take_front(pattern.substr(i, size), text)) return false;
    i += size;
  }
  return true;
}

}  // namespace

bool equals_ignore_case(std::string_view pattern, std::string_view text) {
  return take_all(pattern, text) && text.empty();
}

bool starts_ignore_case(std::string_view pattern, std::string_view text) {
  return take_all(pattern, text);
}

bool ends_ignore_case(std::string_view pattern, std::string_view text) {
  std::size_t end = pattern.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && continues(pattern[begin])) --begin;
    if (!take_back(pattern.substr(begin, end - begin), text)) return false;
    end = begin;
  }
  return true;
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t after_star = kNone;  // where the pattern goes on after the last `*`
  std::size_t taken_to = 0;        // where that `*` ends in the text
  while (true) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      taken_to = t;
      continue;
    }
    if (p == pattern.size() && t == text.size()) return true;
    if (p < pattern.size() && t < text.size()) {
      const std::size_t at = pattern[p] == '\\' ? p + 1 : p;
      if (pattern[at] == text[t]) {
        p = at + 1;
        ++t;
        continue;
      }
    }
    // The last `*` takes one more byte.
    if (after_star == kNone || taken_to == text.size()) return false;
    p = after_star;
    t = ++taken_to;
  }
}

std::optional<std::string> wildcard_mistake(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '*' && next == '*') {
      return fmt::format("expected no two `*` in a row, found them at byte {} of `{}`", i, pattern);
    }
    if (pattern[i] != '\\') continue;
    if (next != '*' && next != '\\') {
      return fmt::format(
          "expected `\\*` or `\\\\` after a backslash, found another at byte {} of "
          "`{}`",
          i, pattern);
    }
    ++i;
  }
  return std::nullopt;
}

}  // namespace trainwarden::rules
