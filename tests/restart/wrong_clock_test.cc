// A function's clock that is wrong by an hour: the services' counts, by the dates of their answers.
#include <gtest/gtest.h>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::wrong_clock_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class WrongClock final : public Clock {
 public:
  WrongClock(Clock& right, milliseconds ahead) : right_(right), ahead_(ahead) {}

  sys_millis now() const override { return right_.now() + ahead_; }
  Deadline::Clock::time_point steady_now() const override { return right_.steady_now(); }
  void sleep_for(milliseconds duration) override { right_.sleep_for(duration); }

 private:
  Clock& right_;
  milliseconds ahead_;
};

std::optional<actions::Record> deliver(History& history, milliseconds ahead,
                                       const std::string& status, const std::string& secondary,
                                       const std::string& job = kJob) {
  WrongClock clock(history.clock(), ahead);
  return history.handle_with(history.aws(), clock, history.event(status, secondary, job),
                             job + secondary);
}

constexpr milliseconds kWrong[] = {hours(-1), milliseconds(0), hours(1)};

TEST(WrongClock, P7_TheHourIsTheServices) {
  for (const milliseconds first : kWrong)
    for (const milliseconds second : kWrong) {
      History history(kMustStop, "enforce", R"("limits":{"stops_per_hour":1},)");
      for (const char* const job : {"a", "b", "c"}) history.aws().place({.name = job});
      deliver(history, first, "InProgress", "Training", "a");
      EXPECT_EQ(history.aws().status("a"), "Stopping");
      history.aws().pass(minutes(59));
      deliver(history, second, "InProgress", "Training", "b");
      EXPECT_EQ(history.aws().status("b"), "InProgress");
      history.aws().pass(minutes(2));
      deliver(history, second, "InProgress", "Training", "c");
      EXPECT_EQ(history.aws().status("c"), "Stopping");
    }
}

TEST(WrongClock, A2_ARestartComesToItsCopy) {
  for (const milliseconds first : kWrong)
    for (const milliseconds second : kWrong) {
      History history(kThrash);
      history.place("InProgress", "Interrupted");
      deliver(history, first, "InProgress", "Interrupted");
      EXPECT_EQ(history.aws().status(kJob), "Stopping");
      history.aws().pass(minutes(2));
      deliver(history, second, "Stopped", "Stopped");
      EXPECT_EQ(history.aws().created().size(), 1U) << first.count() << second.count();
      EXPECT_EQ(history.notices("restarted"), 1);
      EXPECT_EQ(history.notices().size(), 1U);
      EXPECT_FALSE(history.is_due());
    }
}

TEST(WrongClock, A2_APersonsStopStands) {
  for (const milliseconds first : kWrong)
    for (const milliseconds second : kWrong) {
      History history(kThrash);
      history.place("InProgress", "Interrupted");
      history.aws().before("StopTrainingJob", [] { throw Killed{}; });
      EXPECT_FALSE(deliver(history, first, "InProgress", "Interrupted"));
      history.aws().pass(minutes(1));
      history.stop_by_hand();
      history.aws().pass(minutes(2));
      deliver(history, second, "Stopped", "Stopped");
      EXPECT_TRUE(history.aws().created().empty()) << first.count() << second.count();
      EXPECT_EQ(history.notices("refused"), 1);
    }
}

// What is owed ends 26 hours after the job's end, neither sooner nor later.
TEST(WrongClock, A2_TwentySixHoursAreTheServices) {
  for (const milliseconds ahead : kWrong)
    for (const bool in_time : {true, false}) {
      History history(kThrash);
      ASSERT_EQ(thrashed(history), kStoppingToCopy);
      history.aws().pass(in_time ? hours(25) + minutes(30) : hours(26) + minutes(30));
      deliver(history, ahead, "Stopped", "Stopped");
      EXPECT_EQ(history.aws().created().size(), in_time ? 1U : 0U) << ahead.count();
      EXPECT_EQ(history.notices("refused"), in_time ? 0 : 1) << ahead.count();
    }
}

// A tag that arrives with the 14th second saves the job, whatever the clock says of its age.
TEST(WrongClock, A1_AnAbsentTagCountsFromTheServicesFifteenthSecondOn) {
  constexpr const char* kTeam = R"(
    {"name": "team", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                               "tags": {"team": [{"exists": false}]}}, "actions": ["stop"]})";
  for (const milliseconds ahead : kWrong)
    for (const bool arrives : {true, false}) {
      History history(kTeam);
      history.aws().place({.name = kJob, .age = seconds(1), .since = seconds(0)});
      const sys_millis there = history.clock().now() + seconds(13);
      history.aws().meanwhile = [&, met = false](int) mutable {
        if (met || !arrives || history.clock().now() < there) return;
        met = true;
        history.aws().tag_job(kJob, "team", "vision");
      };
      deliver(history, ahead, "InProgress", "Training");
      EXPECT_EQ(history.aws().status(kJob), arrives ? "InProgress" : "Stopping") << ahead.count();
    }
}

}  // namespace
}  // namespace trainwarden::testing::wrong_clock_test
