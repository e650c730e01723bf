#include "runtime/json/locate.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace trainwarden::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Walks over a text that is known to be JSON. In any other text it stops, and never reads beyond
// the end.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {
    if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    skip_blanks();
  }

  std::size_t offset() const { return at_; }

  // Enters the member or element and returns the offset of the member's name, or of the element. If
  // there is none, stays and returns nullopt.
  std::optional<std::size_t> enter(std::string_view step) {
    const std::size_t before = at_;
    std::optional<std::size_t> found;
    if (peek() == '{')
      found = enter_member(step);
    else if (peek() == '[')
      found = enter_element(step);
    if (!found) at_ = before;
    return found;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (constexpr std::string_view kBlanks = " \t\r\n"; kBlanks.contains(peek())) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  // Returns the string with its quotes.
  std::string_view skip_string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void skip_value() {
    constexpr std::string_view kEnds = ",:{}[]\" \t\r\n/";
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return;
        --depth;
        ++at_;
      } else if (c == ',' || c == ':') {
        if (depth == 0) return;
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(kEnds, at_ + 1), text_.size());
      }
      if (depth != 0) skip_blanks();
    } while (depth != 0 && at_ < text_.size());
  }

  void skip_past(char mark) {
    skip_blanks();
    if (peek() == mark) ++at_;
    skip_blanks();
  }

  static bool is_name(std::string_view quoted, std::string_view name) {
    if (!quoted.contains('\\'))
      return quoted.size() == name.size() + 2 && quoted.substr(1, name.size()) == name;
    const auto document = Document::parse(quoted);
    return document && document->root().is_string() && document->root().as_string() == name;
  }

  std::optional<std::size_t> enter_member(std::string_view name) {
    std::optional<std::size_t> found;
    std::size_t value = 0;
    ++at_;
    for (skip_blanks(); peek() == '"'; skip_past(',')) {
      const std::size_t begin = at_;
      const bool is_it = is_name(skip_string(), name);
      skip_past(':');
      if (is_it) {
        found = begin;
        value = at_;
      }
      skip_value();
    }
    if (found) at_ = value;
    return found;
  }

  std::optional<std::size_t> enter_element(std::string_view step) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
    ++at_;
    for (skip_blanks(); at_ < text_.size() && peek() != ']'; skip_past(',')) {
      if (index-- == 0) return at_;
      const std::size_t begin = at_;
      skip_value();
      if (at_ == begin) break;
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string unescaped(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    out += escape ? (step[++i] == '1' ? '/' : '~') : step[i];
  }
  return out;
}

}  // namespace

Position position_at(std::string_view text, std::size_t offset) {
  const bool marked = text.starts_with(kByteOrderMark);
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  if (marked) before.remove_prefix(std::min(before.size(), kByteOrderMark.size()));
  const auto lines = std::ranges::count(before, '\n');
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto characters = std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return {static_cast<std::size_t>(lines) + 1, static_cast<std::size_t>(characters) + 1};
}

std::string pointer_step(std::string_view name) {
  std::string out = "/";
  for (const char c : name) {
    if (c == '~' || c == '/')
      out += c == '~' ? "~0" : "~1";
    else
      out += c;
  }
  return out;
}

Position locate(std::string_view text, std::string_view pointer) {
  Walker walker(text);
  std::size_t offset = walker.offset();
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto found = walker.enter(unescaped(pointer.substr(0, end)));
    if (!found) break;
    offset = *found;
    pointer.remove_prefix(end);
  }
  return position_at(text, offset);
}

}  // namespace trainwarden::json
