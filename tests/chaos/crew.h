// A deterministic scheduler in virtual time, of events and concurrent functions. Each function has
// its own thread. Only one thread runs at a time; whenever it waits, others continue. The same
// story always gives exactly the same order.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <thread>
#include <vector>

#include "tests/support/binary_semaphore.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::chaos {

class Crew {
 public:
  class Worker {
   public:
    // Others run meanwhile. Returns at once if the time is 0.
    void wait(std::chrono::milliseconds time);

   private:
    friend class Crew;
    Worker(Crew& crew, std::function<void(Worker&)> works);
    void go();

    Crew& crew_;
    testing::BinarySemaphore turn_;
    bool done_ = false;
    std::thread thread_;
  };

  // pass: lets time pass in the world.
  Crew(testing::ManualClock& clock, std::function<void(std::chrono::milliseconds)> pass)
      : clock_(clock), pass_(std::move(pass)) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { finish(); }

  void at(sys_millis time, std::function<void()> happens);
  // works must not throw.
  void begin(sys_millis time, std::function<void(Worker&)> works);
  // Runs everything up to that time, and leaves the clock there.
  void run(sys_millis until);
  // Runs until all workers have ended.
  void finish();

 private:
  struct Turn {
    sys_millis at;
    std::uint64_t order;  // of those at the same time
    std::shared_ptr<std::function<void()>> happens;
    Worker* worker;

    bool operator>(const Turn& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void take(const Turn& turn);
  void queue(sys_millis time, std::shared_ptr<std::function<void()>> happens, Worker* worker);

  testing::ManualClock& clock_;
  std::function<void(std::chrono::milliseconds)> pass_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::uint64_t orders_ = 0;
  testing::BinarySemaphore back_;  // from the worker whose turn it was
};

}  // namespace trainwarden::chaos
