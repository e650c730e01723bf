// Reads a file of the user line by line: an export, or the cases of `trainwarden test`.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/result.h"

namespace trainwarden::cli {

// No job's line is longer, not even that of a thousand machines for a month, minute by minute.
inline constexpr std::size_t kLongestLine = std::size_t{256} << 20U;

// Opens a file; `-` is standard input. UTF-16 is decoded (text_encoding.h), and kept in memory.
// kInvalidConfig if it cannot be read, a folder for instance: "cannot read NAME: …".
Result<std::unique_ptr<std::istream>> open_lines(const std::string& name);

// The next line, without its newline. nullopt: nothing is left, or reading failed, and then the
// stream is bad(). A line that is longer than `most` is skipped, and `line` is empty then.
struct LineRead {
  std::string line;
  bool too_long = false;
  bool whole = true;  // it ended with a newline
};
std::optional<LineRead> next_line(std::istream& from, std::size_t most = kLongestLine);

}  // namespace trainwarden::cli
