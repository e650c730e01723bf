// The FNV-1a hash: tells texts apart cheaply and the same way on every machine. Not a
// signature: whoever chooses the text can choose the hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainwarden::rules {

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

// Where 64 bits take too much room.
constexpr std::uint32_t fnv1a_32(std::string_view text) {
  std::uint32_t hash = 0x811c9dc5U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x01000193U;
  }
  return hash;
}

}  // namespace trainwarden::rules
