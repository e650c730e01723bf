// Random numbers that do not depend on the order of requests: each is a function of the seed and of
// a name. So when parts of a history are removed, the rest runs much as before.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainwarden::chaos {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t bits(std::string_view about) const {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : about) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211U;
    }
    return mix(hash ^ mix(seed_));
  }
  // From [0, 1).
  double roll(std::string_view about) const {
    return static_cast<double>(bits(about) >> 11U) / 9007199254740992.0;
  }
  long between(std::string_view about, long low, long high) const {
    return low + static_cast<long>(bits(about) % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }

  std::uint64_t seed_;
};

}  // namespace trainwarden::chaos
