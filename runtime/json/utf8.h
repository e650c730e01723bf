// The little of UTF-8 that writing JSON, and cutting and checking texts needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainwarden::json {

// How many bytes of text are valid UTF-8, up to the first that is not.
std::size_t valid_utf8(std::string_view text);

// Empty where text is valid UTF-8; else a copy in which each invalid byte became U+FFFD.
std::string mend_utf8(std::string_view text);

// The largest length, at most limit, at which text can be cut without halving a character.
std::size_t utf8_boundary(std::string_view text, std::size_t limit);

struct Character {
  std::uint32_t code;  // 0 for what is no valid UTF-8
  std::size_t bytes;   // then 1
};

// Of a text that is not empty.
Character first_character(std::string_view text);

// Whether a character beyond ASCII is a letter of Latin, Greek, Cyrillic, Japanese, Chinese or
// Korean. Fewer than Unicode's letters: what must not be refused elsewhere is refused here.
bool is_letter(std::uint32_t code);

}  // namespace trainwarden::json
