#include "tests/chaos/crew.h"

#include <algorithm>
#include <utility>

namespace trainwarden::chaos {

Crew::Worker::Worker(Crew& crew, std::function<void(Worker&)> works)
    : crew_(crew), thread_([this, works = std::move(works)] {
        turn_.acquire();
        works(*this);
        done_ = true;
        crew_.back_.release();
      }) {}

void Crew::Worker::go() {
  turn_.release();
  crew_.back_.acquire();
  if (done_) thread_.join();
}

void Crew::Worker::wait(std::chrono::milliseconds time) {
  if (time <= std::chrono::milliseconds(0)) return;
  crew_.queue(crew_.clock_.now() + time, nullptr, this);
  crew_.back_.release();
  turn_.acquire();
}

void Crew::queue(sys_millis time, std::shared_ptr<std::function<void()>> happens, Worker* worker) {
  turns_.push({std::max(time, clock_.now()), orders_++, std::move(happens), worker});
}

void Crew::at(sys_millis time, std::function<void()> happens) {
  queue(time, std::make_shared<std::function<void()>>(std::move(happens)), nullptr);
}

void Crew::begin(sys_millis time, std::function<void(Worker&)> works) {
  at(time, [this, works = std::move(works)]() mutable {
    std::erase_if(workers_, [](const auto& worker) { return worker->done_; });
    workers_.push_back(std::unique_ptr<Worker>(new Worker(*this, std::move(works))));
    workers_.back()->go();
  });
}

void Crew::take(const Turn& turn) {
  const auto ahead = turn.at - clock_.now();
  if (ahead > std::chrono::milliseconds(0)) pass_(ahead);
  if (turn.worker != nullptr)
    turn.worker->go();
  else
    (*turn.happens)();
}

void Crew::run(sys_millis until) {
  while (!turns_.empty() && turns_.top().at <= until) {
    const Turn turn = turns_.top();
    turns_.pop();
    take(turn);
  }
  if (until > clock_.now()) pass_(until - clock_.now());
}

void Crew::finish() {
  const auto works = [](const auto& worker) { return !worker->done_; };
  while (std::ranges::any_of(workers_, works) && !turns_.empty()) {
    const Turn turn = turns_.top();
    turns_.pop();
    take(turn);
  }
}

}  // namespace trainwarden::chaos
