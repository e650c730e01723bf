// What the commands print, and how it is set for a terminal.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace trainwarden::cli {

struct Printed {
  int status = 0;      // the exit status: 0 sound, 1 mistakes found, 2 not readable or usage
  std::string output;  // for stdout
  std::string error;   // for stderr
};

inline constexpr std::size_t kColumns = 80;

// How text is set: broken for people, in a pipe or a file never, so that other programs find whole
// lines.
struct Screen {
  static constexpr std::size_t kUnbroken = std::string_view::npos;

  bool color = false;
  std::size_t columns = kColumns;

  bool is_unbroken() const { return columns == kUnbroken; }
};

// Of a stream of this process. A terminal has its own width, and colour unless NO_COLOR or
// TERM=dumb says otherwise (https://no-color.org). COLUMNS, where it is set, counts for all.
Screen screen_of(std::FILE* stream);

// The text with what a terminal would obey, or what would break or turn its line, as \u001B and the
// like (runtime/json/one_line.h).
std::string printable(std::string_view text);

// The same of a text of ours that has lines; its last one ends with a newline.
std::string printable_lines(std::string_view text);

// The text as one word of a command that a person gives to a shell.
std::string shell_word(std::string_view text);

// The text in lines of at most that many characters, broken at spaces; lines after the first begin
// with indent spaces. A word that is longer stands on a line of its own.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace trainwarden::cli
