#include "handlers/cli/files/input_lines.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "handlers/cli/files/text_encoding.h"
#include "runtime/base/errno_text.h"

namespace trainwarden::cli {

Result<std::unique_ptr<std::istream>> open_lines(const std::string& name) {
  errno = 0;
  std::unique_ptr<std::istream> out;
  if (name == "-") {
    out = std::make_unique<std::istream>(std::cin.rdbuf());
  } else {
    auto file = std::make_unique<std::ifstream>(name, std::ios::binary);
    // A folder can be opened; only reading it fails.
    if (*file) file->peek();
    if (!file->is_open() || file->bad())
      return fail(ErrorCode::kInvalidConfig,
                  fmt::format("cannot read {}: {}", name, errno_text(errno)));
    out = std::move(file);
  }
  const auto first = out->peek();
  out->clear();  // an empty file has ended already
  if (first == std::istream::traits_type::eof() ||
      !has_foreign_mark(static_cast<unsigned char>(first)))
    return out;
  std::ostringstream bytes;
  bytes << out->rdbuf();
  auto text = utf8_of(std::move(bytes).str());
  if (!text) return fail(std::move(text).error().in(name == "-" ? "standard input" : name));
  return std::make_unique<std::istringstream>(*std::move(text));
}

// istream's own functions are used, not its buffer's: they turn an error of reading into bad(),
// where the buffer would throw.
std::optional<LineRead> next_line(std::istream& from, std::size_t most) {
  LineRead out;
  std::array<char, std::size_t{16} << 10U> piece;  // NOLINT(*-member-init): getline fills it
  bool any = false;
  for (;;) {
    from.getline(piece.data(), piece.size());
    auto count = static_cast<std::size_t>(from.gcount());
    any = any || count > 0;
    if (from.bad() || !any) return std::nullopt;
    const bool has_end = from.good();
    if (has_end) --count;  // the newline is counted, but not kept
    out.too_long = out.too_long || count > most - out.line.size();
    if (!out.too_long) out.line.append(piece.data(), count);
    out.whole = has_end;
    if (has_end || from.eof()) break;
    from.clear();  // the piece is full
  }
  if (out.too_long) out.line.clear();
  return out;
}

}  // namespace trainwarden::cli
