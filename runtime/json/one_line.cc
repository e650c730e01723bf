#include "runtime/json/one_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/json/utf8.h"

namespace trainwarden::json {
namespace {

// Whether no byte is a control character, DEL or beyond ASCII: nearly every line of a log, eight
// bytes at once.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = kOnes * 0x80;
  std::uint64_t odd = 0;
  std::uint64_t eight = 0;
  const auto look = [&] {
    // In ASCII, a byte below a blank borrows from its highest bit, and DEL plus one reaches it.
    odd |= eight | (eight - kOnes * ' ') | (eight + kOnes);
  };
  for (; text.size() >= sizeof eight; text.remove_prefix(sizeof eight)) {
    std::memcpy(&eight, text.data(), sizeof eight);
    look();
  }
  eight = kOnes * ' ';
  std::memcpy(&eight, text.data(), text.size());
  look();
  return (odd & kHighs) == 0;
}

bool is_within(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return code >= first && code <= last;
}

// The characters with Unicode's property Bidi_Control:
// https://www.unicode.org/Public/UCD/latest/ucd/PropList.txt
bool turns_letters(std::uint32_t code) {
  return code == 0x61C || is_within(code, 0x200E, 0x200F) || is_within(code, 0x202A, 0x202E) ||
         is_within(code, 0x2066, 0x2069);
}

bool stays(std::uint32_t code) {
  const bool is_control = code < 0x20 || is_within(code, 0x7F, 0x9F);
  const bool ends_line = is_within(code, 0x2028, 0x2029);
  return !is_control && !ends_line && !turns_letters(code);
}

}  // namespace

std::string one_line(std::string text) {
  if (is_plain(text)) return text;
  std::string out;
  out.reserve(text.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    const Character next = first_character(rest);
    const bool is_valid = next.code != 0 || rest.front() == '\0';
    if (!is_valid)
      out += "\uFFFD";
    else if (stays(next.code))
      out += rest.substr(0, next.bytes);
    else
      out += fmt::format("\\u{:04X}", next.code);
    rest.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace trainwarden::json
