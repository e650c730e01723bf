// The brake (policy.md P7) while many functions stop jobs at once: never more in any sixty minutes
// than the policy says, by the times at which the jobs were stopping.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/restart/crowd.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::brake_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::string limits(const std::string& members) {
  return fmt::format(R"("limits":{{{}}},)", members);
}

std::string job_name(int number) { return fmt::format("job-{}", number); }

void place_jobs(History& history, int count) {
  for (int i = 0; i < count; ++i)
    history.aws().place({.name = job_name(i),
                         .type = "ml.p4d.24xlarge",
                         .more = R"(,"CheckpointConfig":{"S3Uri":"s3://b/)" + job_name(i) + "\"}"});
}

// When jobs began to stop, in order.
std::vector<sys_millis> stops(History& history, int jobs) {
  std::vector<sys_millis> out;
  for (int i = 0; i < jobs; ++i)
    for (const auto& transition : history.aws().find(job_name(i))->machine.state().transitions)
      if (transition.status == "Stopping") out.push_back(transition.start);
  std::ranges::sort(out);
  return out;
}

void expect_at_most(int limit, const std::vector<sys_millis>& stops) {
  for (std::size_t i = static_cast<std::size_t>(limit); i < stops.size(); ++i)
    EXPECT_GE(stops[i] - stops[i - static_cast<std::size_t>(limit)], hours(1))
        << "the stops " << i - static_cast<std::size_t>(limit) << " to " << i;
}

// A function handles the event of one job after the other; an event that failed comes again, twice,
// under its request id.
void handle_share(History& history, const Crowd::Member& member, int first, int jobs, int step) {
  for (int i = first; i < jobs; i += step)
    for (int attempt = 0; attempt < 3; ++attempt) {
      const auto record = history.handle_with(member.transport, member.clock,
                                              history.event("InProgress", "Training", job_name(i)),
                                              fmt::format("event-{}", i));
      if (!record->failure()) break;
      member.clock.sleep_for(minutes(1));
    }
}

TEST(Brake, P7_ManyFunctionsAtOnceStopNoMoreThanTheLimit) {
  constexpr int kJobs = 60;
  for (const int functions : {2, 10, 50}) {
    History history(kMustStop, "enforce", limits(R"("stops_per_hour":20,"stops_per_sweep":100)"));
    place_jobs(history, kJobs);
    Crowd crowd(history, static_cast<unsigned>(functions));
    for (int i = 0; i < functions; ++i)
      crowd.add(milliseconds(0), [&history, i, functions](const Crowd::Member& member) {
        handle_share(history, member, i, kJobs, functions);
      });
    crowd.run();
    const auto stopped = stops(history, kJobs);
    // Events take half of it.
    EXPECT_EQ(stopped.size(), 10U) << functions;
    expect_at_most(20, stopped);
    for (int i = 0; i < kJobs; ++i)
      EXPECT_EQ(history.notices("stopped", job_name(i)),
                history.aws().status(job_name(i)) == "InProgress" ? 0 : 1);
    EXPECT_EQ(history.notices().size(), 10U) << functions;
    // The rest is what a sweep gives. The 20 that were stopped are told, and one for operators.
    history.sweep();
    EXPECT_EQ(stops(history, kJobs).size(), 20U) << functions;
    EXPECT_EQ(history.notices().size(), 21U) << functions;
  }
}

// Events come all the time, one each 20 s for three hours, and three functions are slow to stop.
TEST(Brake, P7_TheLimitHoldsInAnySixtyMinutes) {
  constexpr int kJobs = 540;
  for (const unsigned seed : {1U, 2U}) {
    History history(kMustStop, "enforce", limits(R"("stops_per_hour":20)"));
    place_jobs(history, kJobs);
    Crowd crowd(history, seed);
    crowd.take({milliseconds(50), milliseconds(40'000)}, "StopTrainingJob");
    crowd.take({milliseconds(20), milliseconds(2'000)}, "PutItem");
    for (int i = 0; i < kJobs; ++i)
      crowd.add(seconds(20) * i, [&history, i](const Crowd::Member& member) {
        history.handle_with(member.transport, member.clock,
                            history.event("InProgress", "Training", job_name(i)),
                            fmt::format("event-{}", i));
      });
    crowd.run();
    const auto stopped = stops(history, kJobs);
    expect_at_most(20, stopped);
    // Events take half. Slots that a slow answer used up are gone, but most were used.
    EXPECT_GT(stopped.size(), 10U);
  }
}

TEST(Brake, P7_RestartsHaveALimitOfTheirOwn) {
  constexpr int kJobs = 30;
  History history(R"({"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
                      "actions": [{"restart": {}}]})",
                  "enforce", limits(R"("stops_per_hour":1000,"restarts_per_hour":14)"));
  place_jobs(history, kJobs);
  Crowd crowd(history, 1);
  for (int i = 0; i < 10; ++i)
    crowd.add(milliseconds(0), [&history, i](const Crowd::Member& member) {
      handle_share(history, member, i, kJobs, 10);
    });
  crowd.run();
  EXPECT_EQ(stops(history, kJobs).size(), 7U);
  history.aws().pass(minutes(5));
  for (int i = 0; i < kJobs; ++i)
    if (history.aws().status(job_name(i)) == "Stopped")
      history.deliver("Stopped", "Stopped", job_name(i));
  EXPECT_EQ(history.aws().created().size(), 7U);
}

// An outage ends many jobs. AWS refuses half of their copies at first, answers are lost, functions
// die, and two sweeps come at once all day: never more copies in any sixty minutes, and in the end
// each job has one.
TEST(Brake, P7_CopiesStayWithinTheLimitWhoeverIsRefusedAndEachComesToItsTurn) {
  constexpr int kJobs = 14;
  constexpr int kLimit = 4;
  for (const unsigned seed : {1U, 2U}) {
    History history(kResume, "enforce", limits(R"("restarts_per_hour":4,"stops_per_sweep":2)"));
    history.sweep();  // sweeps know the rule since then
    history.aws().pass(minutes(1));
    for (int i = 0; i < kJobs; ++i)
      history.aws().place({.name = job_name(i),
                           .status = "Failed",
                           .secondary = "Failed",
                           .since = seconds(0),
                           .more = fmt::format(R"(,"FailureReason":"InternalServerError: x",)"
                                               R"("RoleArn":"arn:aws:iam::111122223333:role/r{}")",
                                               i % 3)});
    history.aws().refuse("CreateTrainingJob", kQuota, 7);
    history.aws().lose_answer("CreateTrainingJob", 2);
    history.aws().refuse("CreateTrainingJob", kThrottled, 5);
    Crowd crowd(history, seed);
    for (int i = 0; i < 6; ++i)
      crowd.add(
          milliseconds(0),
          [&history, i](const Crowd::Member& member) {
            for (int job = i; job < kJobs; job += 6)
              for (int attempt = 0; attempt < 3; ++attempt) {
                const auto record = history.handle_with(
                    member.transport, member.clock,
                    history.event("Failed", "Failed", job_name(job)), fmt::format("event-{}", job));
                if (!record || !record->failure()) break;
              }
          },
          i == 0 ? Death{.call = 40, .after = true} : Death{});
    for (int sweep = 1; sweep < 24; ++sweep)
      for (int twin = 0; twin < 2; ++twin)
        crowd.add(
            minutes(15) * sweep,
            [&history, sweep, twin](const Crowd::Member& member) {
              history.sweep_with(member.transport, member.clock,
                                 fmt::format("sweep-{}-{}", sweep, twin));
            },
            sweep % 5 == 0 && twin == 0 ? Death{.call = 30 + sweep, .after = sweep % 2 == 0}
                                        : Death{});
    crowd.run();
    std::vector<sys_millis> made;
    for (const std::string& copy : history.aws().created())
      made.push_back(history.aws().find(copy)->machine.state().created);
    std::ranges::sort(made);
    expect_at_most(kLimit, made);
    for (int i = 0; i < kJobs; ++i)
      EXPECT_EQ(history.copies_of(job_name(i)).size(), 1U) << seed << " " << job_name(i);
    EXPECT_TRUE(history.aws().wrong.empty());
  }
}

TEST(Brake, P7_ALimitOf0LetsNoneThrough) {
  History history(kMustStop, "enforce", limits(R"("stops_per_hour":0)"));
  place_jobs(history, 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(
        result_of(*history.deliver("InProgress", "Training", job_name(i)), rules::ActionKind::kStop)
            .starts_with("held back: "));
  EXPECT_EQ(history.aws().count("StopTrainingJob"), 0);
}

// A copy that a guard refused for good is asked for by each sweep until 26 hours are over. It takes
// no slot again, or twenty such jobs would keep all others from being run again.
TEST(Brake, P7_AJobThatIsRefusedForGoodHoldsNoSlot) {
  History history(kResume, "enforce", limits(R"("restarts_per_hour":1)"));
  history.sweep();
  history.aws().pass(minutes(1));
  place_ended(history);
  history.place("InProgress", "Training", "", "by-hand");
  ASSERT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("not run again"));
  history.sweep_on(5);
  history.aws().place({.name = "another",
                       .status = "Failed",
                       .secondary = "Failed",
                       .since = seconds(0),
                       .more = R"(,"FailureReason":"InternalServerError: x")"});
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed", "another")).starts_with("copied as "));
}

// A job whose stop is denied is tried again ever later, and takes no slot of the others'.
TEST(Brake, P7_AJobWhoseStopIsDeniedStarvesNobody) {
  History history(kMustStop, "enforce", limits(R"("stops_per_hour":1)"));
  place_jobs(history, 2);
  history.aws().refuse("StopTrainingJob", kDenied, 2);
  EXPECT_TRUE(history.deliver("InProgress", "Training", job_name(0))->failure());
  // Tried once more, a quarter of an hour later.
  for (int i = 0; i < 5; ++i) {
    history.aws().pass(minutes(15));
    history.deliver("InProgress", "Training", job_name(0));
  }
  history.aws().pass(minutes(1));
  EXPECT_EQ(
      result_of(*history.deliver("InProgress", "Training", job_name(1)), rules::ActionKind::kStop),
      "stopped");
  history.aws().pass(hours(12));
  EXPECT_EQ(
      result_of(*history.deliver("InProgress", "Training", job_name(0)), rules::ActionKind::kStop),
      "stopped");
}

}  // namespace
}  // namespace trainwarden::testing::brake_test
