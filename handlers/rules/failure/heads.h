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

constexpr std::uint64_t head_of_few(const char* text, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = size; i > 0; --i) out = out << 8U | static_cast<unsigned char>(text[i - 1]);
  return out;
}

inline std::uint64_t head_of(const char* text, std::size_t size) {
  std::uint64_t out = 0;
  if (size < sizeof(out)) return head_of_few(text, size);
  std::memcpy(&out, text, sizeof(out));
  return out;
}

// Whether two heads are alike in their first characters, at least one.
inline bool alike(std::uint64_t a, std::uint64_t b, unsigned characters) {
  return (a ^ b) << (64U - 8U * characters) == 0;
}

// How many characters of a head stand before a mark; all, where it does not stand there.
inline std::uint8_t heads_before(std::uint64_t head, char mark) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const std::uint64_t marked = head ^ (kEach * static_cast<unsigned char>(mark));
  const std::uint64_t ends = ((marked - kEach) & ~marked) | ((head - kEach) & ~head);
  return static_cast<std::uint8_t>(std::countr_zero(ends & (kEach * 0x80)) / 8);
}

// One of 4096 buckets, by the head's first characters.
inline std::size_t bucket_of(std::uint64_t head, unsigned characters) {
  constexpr std::uint32_t kFactor = 2654435761U;
  return (static_cast<std::uint32_t>(head) << (32U - 8U * characters)) * kFactor >> 20U;
}
inline constexpr std::size_t kBuckets = 4096;

}  // namespace trainwarden::rules
