// Random failures. Each has a name, so that it can be left out when the story is replayed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/chaos/dice.h"

namespace trainwarden::chaos {

class Weather {
 public:
  Weather(std::uint64_t seed, const std::set<std::string>& spared) : dice_(seed), spared_(spared) {}

  // Whether that failure happens.
  bool strikes(const std::string& mishap, double share) {
    if (over_ || share <= 0 || dice_.roll(mishap) >= share || spared_.contains(mishap))
      return false;
    if (known_.insert(mishap).second) struck_.push_back(mishap);
    return true;
  }
  const Dice& dice() const { return dice_; }
  const std::vector<std::string>& struck() const { return struck_; }
  // From now on nothing goes wrong.
  void end() { over_ = true; }
  bool over() const { return over_; }

 private:
  Dice dice_;
  const std::set<std::string>& spared_;
  std::vector<std::string> struck_;  // in their order
  std::set<std::string> known_;
  bool over_ = false;
};

}  // namespace trainwarden::chaos
