// Every interleaving of some processes: depth first over all worlds that can be reached, each
// visited once. A World is a small value that knows what can happen next; what is wrong in it is
// reported once, with the steps that led there.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainwarden::rules::test {

template <class World>
using Next = std::vector<std::pair<std::string, World>>;

struct Findings {
  std::size_t worlds = 0;
  std::size_t steps = 0;
  double interleavings = 0;                  // paths from the start to an end
  std::map<std::string, std::string> wrong;  // what → the steps to the first such world

  std::string report() const {
    std::string out;
    for (const auto& [what, steps_there] : wrong) out += what + ":\n" + steps_there;
    return out;
  }
};

// World: `std::string key() const`, the same for worlds that cannot be told apart.
// next: what can happen, one step of one process each; empty at an end.
// judge: what is wrong in a world; empty where nothing is.
template <class World>
class Explorer {
 public:
  using Steps = std::function<Next<World>(const World&)>;
  using Judge = std::function<std::string(const World&)>;

  Explorer(Steps next, Judge judge) : next_(std::move(next)), judge_(std::move(judge)) {}

  Findings explore(const World& start) {
    findings_ = {};
    seen_.clear();
    findings_.interleavings = visit(start);
    findings_.worlds = seen_.size();
    return findings_;
  }

 private:
  static constexpr std::size_t kLongest = 300;

  double visit(const World& world) {
    const auto [known, is_new] = seen_.try_emplace(world.key(), 0);
    if (!is_new) return known->second;
    if (trace_.size() > kLongest) {
      keep("it goes on for ever");
      return 0;
    }
    if (const std::string wrong = judge_(world); !wrong.empty()) keep(wrong);
    double paths = 0;
    const Next<World> next = next_(world);
    for (const auto& [what, after] : next) {
      ++findings_.steps;
      trace_.push_back(&what);
      paths += visit(after);
      trace_.pop_back();
    }
    return seen_[world.key()] = next.empty() ? 1 : paths;
  }

  void keep(const std::string& wrong) {
    if (findings_.wrong.contains(wrong)) return;
    std::string& steps = findings_.wrong[wrong];
    for (const std::string* const step : trace_) steps += "  " + *step + "\n";
  }

  Steps next_;
  Judge judge_;
  Findings findings_;
  std::unordered_map<std::string, double> seen_;
  std::vector<const std::string*> trace_;
};

}  // namespace trainwarden::rules::test
