// What kind of character one is, in ASCII whatever the locale. One load tells: these run for each
// byte of a log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {

enum CharacterKind : std::uint8_t { kSmallLetter = 1, kCapital = 2, kWordMark = 4 };

inline constexpr auto kCharacterKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds.at(c) = kSmallLetter;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) kinds.at(c) = kCapital;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds.at(c) = kWordMark;
  kinds.at('_') = kWordMark;
  return kinds;
}();

inline std::uint8_t kind_of(char c) {
  return kCharacterKinds.data()[static_cast<unsigned char>(c)];
}

inline bool is_capital(char c) { return kind_of(c) == kCapital; }
inline bool is_small(char c) { return kind_of(c) == kSmallLetter; }
inline bool is_letter(char c) { return (kind_of(c) & (kSmallLetter | kCapital)) != 0; }
// A letter, a digit or `_`: what names are made of.
inline bool is_word(char c) { return kind_of(c) != 0; }

}  // namespace trainwarden::rules
