#include "runtime/json/utf8.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace trainwarden::json {
namespace {

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// The length of the valid character at `at`, or 0. Overlong forms and surrogates are not valid
// (The Unicode Standard, table 3-7).
std::size_t character(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(text, at + 1)) return 0;
  if (first < 0xE0) return 2;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  if (!continues(text, at + 2)) return 0;
  if (first < 0xF0)
    return (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ? 0 : 3;
  if (!continues(text, at + 3)) return 0;
  return (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F) ? 0 : 4;
}

// Ranges of Unicode in which every character is a letter.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 11> kLetters{{{0xC0, 0xD6},
                                                                            {0xD8, 0xF6},
                                                                            {0xF8, 0x24F},
                                                                            {0x391, 0x3A1},
                                                                            {0x3A3, 0x3E1},
                                                                            {0x400, 0x481},
                                                                            {0x48A, 0x52F},
                                                                            {0x3041, 0x3096},
                                                                            {0x30A1, 0x30FA},
                                                                            {0x4E00, 0x9FFF},
                                                                            {0xAC00, 0xD7A3}}};

}  // namespace

std::size_t valid_utf8(std::string_view text) {
  constexpr std::uint64_t kBeyondAscii = 0x8080808080808080U;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;  // characters at once: nearly all text is ASCII
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & kBeyondAscii) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = character(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::string mend_utf8(std::string_view text) {
  std::size_t at = valid_utf8(text);
  if (at == text.size()) return {};
  std::string mended(text.substr(0, at));
  while (at < text.size()) {
    const std::size_t length = character(text, at);
    mended.append(length == 0 ? std::string_view("\uFFFD") : text.substr(at, length));
    at += length == 0 ? 1 : length;
  }
  return mended;
}

std::size_t utf8_boundary(std::string_view text, std::size_t limit) {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && continues(text, limit)) --limit;
  return limit;
}

Character first_character(std::string_view text) {
  const std::size_t bytes = character(text, 0);
  if (bytes == 0) return {0, 1};
  std::uint32_t code = static_cast<unsigned char>(text[0]);
  if (bytes > 1) code &= 0xFFU >> (bytes + 1);
  for (std::size_t i = 1; i < bytes; ++i)
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, bytes};
}

bool is_letter(std::uint32_t code) {
  return std::ranges::any_of(
      kLetters, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

}  // namespace trainwarden::json
