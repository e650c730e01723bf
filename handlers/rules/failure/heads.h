// The first eight characters of a text as one number: most texts that are held against each other
// differ there, and comparing two numbers calls nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainwarden::rules {

static_assert(std::endian::native == std::endian::little, "a head's first character is its lowest");

inline std::uint64_t head_of(const char* text, std::size_t size) {
  std::uint64_t out = 0;
  if (size >= sizeof(out)) {
    std::memcpy(&out, text, sizeof(out));
  } else {
    for (std::size_t i = size; i > 0; --i)
      out = out << 8U | static_cast<unsigned char>(text[i - 1]);
  }
  return out;
}

// Whether two heads are alike in their first characters, at least one.
inline bool alike(std::uint64_t a, std::uint64_t b, unsigned characters) {
  return (a ^ b) << (64U - 8U * characters) == 0;
}

// One of 4096 buckets, by the head's first characters.
inline std::size_t bucket_of(std::uint64_t head, unsigned characters) {
  constexpr std::uint32_t kFactor = 2654435761U;
  return (static_cast<std::uint32_t>(head) << (32U - 8U * characters)) * kFactor >> 20U;
}
inline constexpr std::size_t kBuckets = 4096;

}  // namespace trainwarden::rules
