#include "handlers/cli/terminal/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/base/digits.h"
#include "runtime/json/one_line.h"

namespace trainwarden::cli {
namespace {

// Width in characters, not bytes; an escape sequence has none.
std::size_t width(std::string_view text) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size() - 1);
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++out;
    }
  }
  return out;
}

}  // namespace

Screen screen_of(std::FILE* stream) {
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread
  const char* const columns = std::getenv("COLUMNS");
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  // NOLINTEND(concurrency-mt-unsafe)
  constexpr std::size_t kNarrowest = 40;
  const auto wished = whole_number(columns == nullptr ? "" : columns, 1);
  const int file = fileno(stream);
  const bool terminal = isatty(file) == 1;
  Screen out{.columns = Screen::kUnbroken};
  out.color = terminal && (no_color == nullptr || *no_color == '\0') &&
              (term == nullptr || std::string_view(term) != "dumb");
  if (terminal) out.columns = kColumns;
  if (winsize size{}; terminal && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    out.columns = size.ws_col;
  if (wished) out.columns = static_cast<std::size_t>(*wished);
  out.columns = std::max(out.columns, kNarrowest);
  return out;
}

std::string printable(std::string_view text) { return json::one_line(std::string(text)); }

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end)) + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t used = 0;
  bool fresh = true;  // the line has only its indent so far
  // Leading spaces of the text are its indent.
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  out.append(lead, ' ');
  used = lead;
  text.remove_prefix(lead);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t size = width(word);
    if (!fresh && used + 1 + size > columns) {
      out += '\n';
      out.append(indent, ' ');
      used = indent;
      fresh = true;
    }
    if (!fresh) {
      out += ' ';
      ++used;
    }
    out += word;
    used += size;
    fresh = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace trainwarden::cli
