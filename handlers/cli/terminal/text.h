// What the commands print, and how it is formatted for a terminal.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace trainwarden::cli {

struct Printed {
  int status = 0;      // the exit status, as the command's help page lists it
  std::string output;  // for stdout
  std::string error;   // for stderr
};

inline constexpr std::size_t kColumns = 80;

// How text is formatted. Lines are wrapped for people, but in a pipe or a file only if COLUMNS is
// set, so that other programs find whole lines.
struct Screen {
  static constexpr std::size_t kUnbroken = std::string_view::npos;

  bool color = false;
  std::size_t columns = kColumns;

  bool is_unbroken() const { return columns == kUnbroken; }
};

// The format for a stream of this process. A terminal has its own width, and colour unless NO_COLOR
// or TERM=dumb says otherwise (https://no-color.org). If COLUMNS is set, it is the width of every
// stream.
Screen screen_of(std::FILE* stream);

// Escapes whatever a terminal would interpret, or what would break or reverse the line, as \u001B
// and the like (runtime/json/one_line.h).
std::string printable(std::string_view text);

// The same for a text of our own that has several lines; the last one ends with a newline.
std::string printable_lines(std::string_view text);

// Quotes the text, where needed, as one word of a shell command.
std::string shell_word(std::string_view text);

// Wraps the text at spaces into lines of at most that many characters; lines after the first begin
// with indent spaces. A longer word gets a line of its own.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace trainwarden::cli
