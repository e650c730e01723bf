// Which pairs of characters stand in a line: most of the many words that are looked for in it are
// ruled out by two of their pairs, without a search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainwarden::rules {

class Bigrams {
 public:
  explicit Bigrams(std::string_view line) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const std::uint32_t bit = index(line.data() + i);
      bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  // False: the word stands nowhere in the line.
  bool may_have(std::string_view word) const {
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      const std::uint32_t bit = index(word.data() + i);
      if ((bits_[bit / 64] >> (bit % 64) & 1U) == 0) return false;
    }
    return true;
  }

 private:
  static std::uint32_t index(const char* at) {
    const auto first = static_cast<unsigned char>(at[0]);
    const auto second = static_cast<unsigned char>(at[1]);
    return (first * 37U + second) % 1024U;
  }

  std::array<std::uint64_t, 16> bits_{};
};

}  // namespace trainwarden::rules
