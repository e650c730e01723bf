// A function's process, which is kept between invocations. It sees the world through its current
// invocation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "handlers/alarm/alarm_function.h"
#include "handlers/state/state_function.h"
#include "tests/chaos/world.h"

namespace trainwarden::chaos {

// The world as one invocation sees it.
class View {
 public:
  virtual ~View() = default;
  virtual std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                                   Deadline deadline) = 0;
  virtual void sleep_for(milliseconds duration) = 0;
};

class Process final : public http::Transport, public Clock {
 public:
  // environment: must last. fast: how far its clock is ahead of AWS's.
  Process(World::Function function, const testing::Env& environment,
          const testing::ManualClock& clock, milliseconds fast)
      : function_(function), environment_(environment), clock_(clock), fast_(fast) {}

  // Error: from its start or its handler. Throws testing::Killed if the process died.
  Result<std::string> handle(const lambda::Context& context, const std::function<double()>& random,
                             View& view);

  bool serves(World::Function function, const testing::Env& environment) const {
    return function_ == function && &environment_ == &environment;
  }
  bool busy() const { return view_ != nullptr; }
  bool dead() const { return dead_; }

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    return view_->send(requests, deadline);
  }
  sys_millis now() const override { return clock_.now() + fast_; }
  Deadline::Clock::time_point steady_now() const override { return clock_.steady_now(); }
  void sleep_for(milliseconds duration) override { view_->sleep_for(duration); }

 private:
  Result<std::string> work(const lambda::Context& context, const std::function<double()>& random);

  World::Function function_;
  const testing::Env& environment_;
  const testing::ManualClock& clock_;
  milliseconds fast_;
  View* view_ = nullptr;
  bool dead_ = false;
  std::optional<state::StateFunction> state_;
  std::optional<alarm::AlarmFunction> alarm_;
};

}  // namespace trainwarden::chaos
