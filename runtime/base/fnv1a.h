// The FNV-1a hash: distinguishes texts cheaply, and is the same on every machine. Not a signature:
// whoever chooses the text can choose the hash.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainwarden {

template <class Word>
constexpr Word fnv1a_of(std::string_view text, Word offset_basis, Word prime) {
  Word hash = offset_basis;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  return hash;
}

constexpr std::uint64_t fnv1a(std::string_view text) {
  return fnv1a_of<std::uint64_t>(text, 0xcbf29ce484222325ULL, 0x100000001b3ULL);
}

// For long texts: hashes words of eight bytes, then the remaining bytes. A different hash, in an
// eighth of the time.
inline std::uint64_t fnv1a_words(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::uint64_t word = 0; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    hash = (hash ^ word) * 0x100000001b3ULL;
    hash ^= hash >> 32U;  // let the high bits affect the low ones
  }
  return fnv1a_of<std::uint64_t>(text, hash, 0x100000001b3ULL);
}

// For places where 64 bits take too much room.
constexpr std::uint32_t fnv1a_32(std::string_view text) {
  return fnv1a_of<std::uint32_t>(text, 0x811c9dc5U, 0x01000193U);
}

}  // namespace trainwarden
