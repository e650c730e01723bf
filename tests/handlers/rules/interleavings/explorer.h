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

// One step that can be taken, and the world after it. what: a literal.
template <class World>
struct Choice {
  std::string_view what;
  std::size_t who = 0;  // a function, from 1 on; 0: something else
  World world;
};

template <class World>
using Next = std::vector<Choice<World>>;

// For keys: a number as bytes.
template <class Number>
void add_to_key(std::string& key, Number number) {
  const int value = static_cast<int>(number);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

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

// World: `std::string key() const`, the same for worlds that cannot be told apart; `now`, in
// seconds. next: what can happen, one step of one process each; empty at an end. judge: what is
// wrong in a world; empty where nothing is.
template <class World>
class Explorer {
 public:
  using Steps = std::function<Next<World>(const World&)>;
  using Judge = std::function<std::string(const World&)>;

  Explorer(Steps next, Judge judge) : next_(std::move(next)), judge_(std::move(judge)) {}

  // enough: where that is found, the rest is left out.
  Findings explore(const World& start, std::string enough = {}) {
    findings_ = {};
    enough_ = std::move(enough);
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
    if (!enough_.empty() && findings_.wrong.contains(enough_)) return 0;
    if (trace_.size() > kLongest) {
      keep("it goes on for ever");
      return 0;
    }
    if (const std::string wrong = judge_(world); !wrong.empty()) keep(wrong);
    double paths = 0;
    const Next<World> next = next_(world);
    for (const Choice<World>& choice : next) {
      ++findings_.steps;
      trace_.push_back(&choice);
      paths += visit(choice.world);
      trace_.pop_back();
    }
    return seen_[world.key()] = next.empty() ? 1 : paths;
  }

  void keep(const std::string& wrong) {
    if (findings_.wrong.contains(wrong)) return;
    std::string& steps = findings_.wrong[wrong];
    for (const Choice<World>* const step : trace_) {
      steps += "  " + std::to_string(step->world.now) + " s: ";
      if (step->who > 0) steps += "F" + std::to_string(step->who) + " ";
      steps.append(step->what).append("\n");
    }
  }

  Steps next_;
  Judge judge_;
  Findings findings_;
  std::string enough_;
  std::unordered_map<std::string, double> seen_;
  std::vector<const Choice<World>*> trace_;
};

}  // namespace trainwarden::rules::test
