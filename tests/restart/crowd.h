// Functions at once, in virtual time: each has a thread of its own, of which one runs at a time,
// and every call takes its time on the way there and on the way back, so that others come in
// between. The same seed gives the same history.
//
//   Crowd crowd(history, seed);
//   for (...) crowd.add(milliseconds(0), [&](const Crowd::Member& member) {
//     history.handle_with(member.transport, member.clock, event, "request-1");
//   });
//   crowd.run();
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "tests/restart/history.h"
#include "tests/support/binary_semaphore.h"

namespace trainwarden::testing {

class Crowd {
 public:
  struct Member {
    http::Transport& transport;
    Clock& clock;
  };
  struct Latency {
    std::chrono::milliseconds least{80};
    std::chrono::milliseconds most{120};
  };

  Crowd(History& history, unsigned seed);
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd();

  // Calls of that operation, or of all others, take so long, there and back.
  void take(Latency latency, const std::string& operation = "*") { latency_[operation] = latency; }
  // So long from now on it begins. death: at one of its own calls, counted from 0.
  void add(std::chrono::milliseconds after, std::function<void(const Member& member)> act,
           Death death = {});
  // Until all have ended.
  void run();

 private:
  class Actor;
  struct Turn {
    sys_millis at;
    std::uint_fast32_t order;  // of those at the same time
    Actor* actor;

    bool operator>(const Turn& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void wait(Actor& actor, std::chrono::milliseconds time);
  std::chrono::milliseconds half_way(const http::Request& request);

  History& history_;
  std::mt19937 random_;
  std::map<std::string, Latency, std::less<>> latency_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  BinarySemaphore back_;  // from the actor whose turn it was
};

}  // namespace trainwarden::testing
