// A page for a terminal: lines that are broken at spaces, and some words that stand out. Whatever
// its lines are given, the terminal obeys nothing but the page itself: what else would move a
// cursor, begin a line or turn letters is shown (text.h).
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "handlers/cli/text.h"

namespace trainwarden::cli {

class Page {
 public:
  explicit Page(const Screen& screen) : screen_(screen) {}

  void line(std::string_view text, std::size_t indent = 0) {
    text_ += wrapped(shaded(text), screen_.columns, indent) + '\n';
  }
  // A line that is not broken: a command to be copied.
  void whole(std::string_view text) { text_ += shaded(text) + '\n'; }
  void gap() { text_ += '\n'; }
  // Parts of a line of this page.
  static std::string bold(std::string_view text) { return shade('1', text); }
  static std::string faint(std::string_view text) { return shade('2', text); }
  static std::string alert(std::string_view text) { return shade('!', text); }
  bool is_unbroken() const { return screen_.is_unbroken(); }
  std::string take() { return std::move(text_); }

 private:
  // A shade is marked by a byte that no UTF-8 has, so that no text from outside holds a mark.
  static constexpr char kMark = '\xFF';

  static std::string shade(char kind, std::string_view text) {
    return fmt::format("{0}{1}{2}{0}.", kMark, kind, text);
  }

  // The text with its marks as the terminal knows them, and all else as printable() has it.
  std::string shaded(std::string_view text) const {
    std::string out;
    for (;;) {
      const std::size_t mark = text.find(kMark);
      out += printable(text.substr(0, mark));
      if (mark == std::string_view::npos || mark + 1 == text.size()) return out;
      if (screen_.color) out += code(text[mark + 1]);
      text.remove_prefix(mark + 2);
    }
  }

  static std::string_view code(char kind) {
    if (kind == '1') return "\x1b[1m";
    if (kind == '2') return "\x1b[2m";
    return kind == '!' ? "\x1b[1;31m" : "\x1b[0m";
  }

  Screen screen_;
  std::string text_;
};

}  // namespace trainwarden::cli
