#include "tests/restart/crowd.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace trainwarden::testing {

using std::chrono::milliseconds;

class Crowd::Actor final : public http::Transport, public Clock {
 public:
  Actor(Crowd& crowd, std::function<void(const Member&)> act, Death death)
      : crowd_(crowd), act_(std::move(act)), death_(death), thread_([this] { live(); }) {}

  // Its turn: until it waits, or has ended.
  void go() {
    turn_.release();
    crowd_.back_.acquire();
  }
  void enqueue() {
    crowd_.back_.release();
    turn_.acquire();
  }
  void join() { thread_.join(); }

  sys_millis now() const override { return crowd_.history_.clock().now(); }
  Deadline::Clock::time_point steady_now() const override {
    return crowd_.history_.clock().steady_now();
  }
  void sleep_for(milliseconds duration) override { crowd_.wait(*this, duration); }

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    const auto late = [&] {
      return std::vector<Result<http::Response>>(
          requests.size(), std::unexpected(Error{ErrorCode::kTimeout, "no answer in time"}));
    };
    const int number = calls_++;
    const milliseconds left = deadline.left(steady_now());
    const milliseconds there = crowd_.half_way(requests.front());
    crowd_.wait(*this, std::min(there, left));
    if (there >= left) return late();
    if (death_.call == number && !death_.after) throw Killed{};
    auto answers = crowd_.history_.aws().send(requests, deadline);
    if (death_.call == number) throw Killed{};
    crowd_.wait(*this, std::min(crowd_.half_way(requests.front()), deadline.left(steady_now())));
    if (deadline.left(steady_now()) <= milliseconds(0)) return late();
    return answers;
  }

 private:
  void live() {
    turn_.acquire();
    act_({*this, *this});
    crowd_.back_.release();
  }

  Crowd& crowd_;
  std::function<void(const Member&)> act_;
  Death death_;
  int calls_ = 0;
  BinarySemaphore turn_;
  std::thread thread_;
};

Crowd::Crowd(History& history, unsigned seed) : history_(history), random_(seed) {}

Crowd::~Crowd() { run(); }

void Crowd::add(milliseconds after, std::function<void(const Member& member)> act, Death death) {
  actors_.push_back(std::make_unique<Actor>(*this, std::move(act), death));
  turns_.push({history_.clock().now() + after, random_(), actors_.back().get()});
}

void Crowd::run() {
  while (!turns_.empty()) {
    const Turn turn = turns_.top();
    turns_.pop();
    const auto ahead = turn.at - history_.clock().now();
    if (ahead > milliseconds(0)) history_.aws().pass(ahead);
    turn.actor->go();
  }
  for (const auto& actor : actors_) actor->join();
  actors_.clear();
}

void Crowd::wait(Actor& actor, milliseconds time) {
  turns_.push({history_.clock().now() + std::max(time, milliseconds(0)), random_(), &actor});
  actor.enqueue();
}

milliseconds Crowd::half_way(const http::Request& request) {
  Latency latency;
  for (const auto& [operation, one] : latency_) {
    const bool is_it = std::ranges::any_of(request.headers, [&](const http::Header& header) {
      return header.value.ends_with("." + operation);
    });
    if (is_it || operation == "*") latency = one;  // "*" comes first
  }
  const auto span = static_cast<std::uint_fast32_t>((latency.most - latency.least).count() + 1);
  return (latency.least + milliseconds(random_() % span)) / 2;
}

}  // namespace trainwarden::testing
