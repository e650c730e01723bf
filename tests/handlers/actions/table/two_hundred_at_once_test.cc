// Two hundred invocations write one item at once (policy.md P7): none gives up, and the limit is
// exact.
#include <atomic>
#include <mutex>
#include <thread>

#include "handlers/actions/table/items.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::two_hundred_at_once_test {
namespace {

constexpr int kAtOnce = 200;

// The way there and back takes its time; the table does one thing at a time.
class FarAway final : public http::Transport {
 public:
  explicit FarAway(http::Transport& aws) : aws_(aws) {}

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    std::this_thread::sleep_for(kWay);
    auto answers = [&] {
      const std::scoped_lock lock(one_at_a_time_);
      return aws_.send(requests, deadline);
    }();
    std::this_thread::sleep_for(kWay);
    return answers;
  }

 private:
  static constexpr milliseconds kWay{3};
  http::Transport& aws_;
  std::mutex one_at_a_time_;
};

class TwoHundredAtOnce : public ActionTest {
 protected:
  // How many may stop their job, of as many as ask at once.
  int stop_at_once(std::int64_t limit) {
    std::atomic<int> passed = 0;
    std::vector<std::thread> threads;
    threads.reserve(kAtOnce);
    for (int i = 0; i < kAtOnce; ++i)
      threads.emplace_back([&, i] {
        Clock& clock = system_clock();
        aws::Client client = testing::one_attempt_client(far_away_, clock);
        const aws::CallContext context{Deadline::at(clock.steady_now() + minutes(5)), "", nullptr};
        const Apis apis(client, clock, context, config_, powers_, fmt::format("request-{}", i));
        rules::BrakeDecision decision;
        const auto changed = change_brake(apis, [&](rules::BrakeItem item, sys_millis now) {
          auto step = rules::take_slots(
              std::move(item),
              {.who = fmt::format("job/train-{}/1783000000000", i), .stop = true, .queued = true},
              {.stops = limit}, now, apis.request);
          decision = step.decision;
          return std::move(step.next);
        });
        if (!changed)
          ++failed_;
        else if (decision.passes)
          ++passed;
      });
    for (std::thread& thread : threads) thread.join();
    return passed;
  }

  FarAway far_away_{aws_};
  std::atomic<int> failed_ = 0;
};

TEST_F(TwoHundredAtOnce, P8_Issue39_8_NoneFails) {
  EXPECT_EQ(stop_at_once(1000), kAtOnce);
  EXPECT_EQ(failed_, 0);
}

TEST_F(TwoHundredAtOnce, P8_Issue39_8_TheLimitIsExact) {
  EXPECT_EQ(stop_at_once(50), 50);
  EXPECT_EQ(failed_, 0);
}

}  // namespace
}  // namespace trainwarden::actions::two_hundred_at_once_test
