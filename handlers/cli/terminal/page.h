// A page for a terminal, with lines broken at spaces, and emphasis. Control sequences in the text
// of its lines are escaped, so that the terminal interprets only those of the page itself: a text
// cannot move the cursor, begin a line or reverse the text direction (text.h).
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

class Page {
 public:
  explicit Page(const Screen& screen) : screen_(screen) {}

  void line(std::string_view text, std::size_t indent = 0) {
    text_ += wrapped(shaded(text), screen_.columns, indent) + '\n';
  }
  // Adds a line that is not broken, such as a command to be copied.
  void whole(std::string_view text) { text_ += shaded(text) + '\n'; }
  void gap() { text_ += '\n'; }
  // Emphasis for a part of a line of this page.
  static std::string bold(std::string_view text) { return shade('1', text); }
  static std::string faint(std::string_view text) { return shade('2', text); }
  static std::string alert(std::string_view text) { return shade('!', text); }
  bool is_unbroken() const { return screen_.is_unbroken(); }
  std::string take() { return std::move(text_); }

 private:
  // Emphasis is marked by a byte that never occurs in UTF-8, so that no text from outside can hold
  // a mark.
  static constexpr char kMark = '\xFF';

  static std::string shade(char kind, std::string_view text) {
    return fmt::format("{0}{1}{2}{0}.", kMark, kind, text);
  }

  // The text with its marks turned into the terminal's sequences, and all else as printable()
  // returns it.
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
