#include "handlers/cli/text.h"

#include <algorithm>

#include "runtime/json/one_line.h"

namespace trainwarden::cli {
namespace {

// Characters, not bytes; an escape sequence takes no room.
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
  bool fresh = true;  // nothing but the indent stands on the line
  // Spaces that the text begins with are its indent.
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
