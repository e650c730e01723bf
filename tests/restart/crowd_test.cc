// Many deliveries and sweeps about one job at once (policy.md A2, A3, A5), of which some die: one
// copy, each notice once.
#include "tests/restart/crowd.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::crowd_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The policy has been in force for a while.
void begin(History& history) {
  history.sweep();
  history.aws().pass(minutes(5));
}

struct Deliveries {
  Step event;
  int count = 0;
  milliseconds from{0};
  milliseconds to{0};
};

// At random moments of that time; each under a request id of its own.
void deliver(Crowd& crowd, History& history, std::mt19937& random, const Deliveries& what,
             int dies_each = 0) {
  for (int i = 0; i < what.count; ++i) {
    const auto span = static_cast<std::uint_fast32_t>((what.to - what.from).count() + 1);
    const milliseconds at = what.from + milliseconds(random() % span);
    Death death;
    if (dies_each > 0 && i % dies_each == 0)
      death = {static_cast<int>(random() % 30), random() % 2 == 0};
    const std::string request = fmt::format("{}-{}-{}", what.event.secondary, what.from.count(), i);
    crowd.add(
        at,
        [&history, what, request](const Crowd::Member& member) {
          if (what.event.status.empty())
            history.sweep_with(member.transport, member.clock, request);
          else
            history.handle_with(member.transport, member.clock,
                                history.event(what.event.status, what.event.secondary), request);
        },
        death);
  }
}

const Step kInterrupted{"InProgress", "Interrupted"};
const Step kStopped{"Stopped", "Stopped"};
const Step kFailed{"Failed", "Failed"};
const Step kTraining{"InProgress", "Training"};

void expect_one(History& history, unsigned seed, const char* outcome) {
  for (const std::string& wrong : history.aws().wrong) ADD_FAILURE() << wrong;
  EXPECT_EQ(history.aws().created().size(), 1U) << seed;
  EXPECT_EQ(history.notices(outcome), 1) << seed;
  EXPECT_EQ(history.notices().size(), 1U) << seed;
  EXPECT_FALSE(history.is_due()) << seed;
}

TEST(Crowd, A2_OneCopyOfAJobThatRuns) {
  for (const int functions : {2, 10, 50})
    for (unsigned seed = 0; seed < 4; seed += kStride) {
      History history(kThrash);
      begin(history);
      history.place("InProgress", "Interrupted");
      std::mt19937 random(seed);
      Crowd crowd(history, seed);
      deliver(crowd, history, random, {kInterrupted, functions, {}, milliseconds(seed * 1000)});
      deliver(crowd, history, random,
              {kStopped, functions, milliseconds(2500), milliseconds(2500 + seed * 2000)});
      deliver(crowd, history, random, {kSweep, 2, milliseconds(0), milliseconds(6000)});
      crowd.run();
      sweep_up(history);
      expect_one(history, seed, "restarted");
    }
}

TEST(Crowd, A2_OneCopyOfAJobThatFailed) {
  for (const int functions : {2, 10, 50})
    for (unsigned seed = 0; seed < 4; seed += kStride) {
      History history(kResume);
      begin(history);
      place_ended(history);
      std::mt19937 random(seed);
      Crowd crowd(history, seed);
      deliver(crowd, history, random, {kFailed, functions, {}, milliseconds(seed * 1000)});
      deliver(crowd, history, random, {kSweep, 2, {}, milliseconds(3000)});
      crowd.run();
      sweep_up(history);
      expect_one(history, seed, "restarted");
    }
}

TEST(Crowd, A5_OneNoticeOfAStop) {
  for (const int functions : {2, 10, 50})
    for (unsigned seed = 0; seed < 4; seed += kStride) {
      History history(kMustStop);
      begin(history);
      history.place("InProgress", "Training");
      std::mt19937 random(seed);
      Crowd crowd(history, seed);
      deliver(crowd, history, random, {kTraining, functions, {}, milliseconds(seed * 1000)});
      deliver(crowd, history, random, {kSweep, 2, {}, milliseconds(3000)});
      // The alarm function comes to the same job.
      for (int i = 0; i < functions; ++i)
        crowd.add(milliseconds(random() % 1000), [&history, i](const Crowd::Member& member) {
          rules::JobEvent event = history.event("InProgress", "Training");
          event.trigger = rules::Trigger::kAlarm;
          history.handle_with(member.transport, member.clock, event, fmt::format("alarm-{}", i),
                              false);
        });
      crowd.run();
      sweep_up(history);
      EXPECT_EQ(history.notices("stopped"), 1) << functions << " " << seed;
      EXPECT_EQ(history.notices().size(), 1U) << functions << " " << seed;
    }
}

// Each third function dies somewhere. Whoever died between telling and noting that may make people
// hear of it again.
TEST(Crowd, A2_OneCopyAlthoughManyDie) {
  for (unsigned seed = 0; seed < 40; seed += kStride) {
    History history(seed % 2 == 0 ? kThrash : kResume);
    begin(history);
    std::mt19937 random(seed);
    Crowd crowd(history, seed);
    if (seed % 2 == 0) {
      history.place("InProgress", "Interrupted");
      deliver(crowd, history, random, {kInterrupted, 6, {}, milliseconds(3000)}, 3);
      deliver(crowd, history, random, {kStopped, 6, milliseconds(3000), milliseconds(9000)}, 3);
    } else {
      place_ended(history);
      deliver(crowd, history, random, {kFailed, 9, {}, milliseconds(5000)}, 3);
    }
    deliver(crowd, history, random, {kSweep, 2, milliseconds(0), milliseconds(9000)}, 2);
    crowd.run();
    sweep_up(history);
    for (const std::string& wrong : history.aws().wrong) ADD_FAILURE() << wrong;
    EXPECT_EQ(history.aws().created().size(), 1U) << seed;
    EXPECT_GE(history.notices("restarted"), 1) << seed;
    EXPECT_LE(history.notices("restarted"), 3) << seed;
    EXPECT_EQ(history.notices("refused"), 0) << seed;
    EXPECT_FALSE(history.is_due()) << seed;
  }
}

// Four rules' jobs on one checkpoint fail at once: one goes on.
TEST(Crowd, A2_OfJobsOnOneCheckpointOneGoesOn) {
  for (unsigned seed = 0; seed < 4; seed += kStride) {
    History history(kResume);
    begin(history);
    std::vector<std::string> names;
    for (int i = 0; i < 4; ++i) {
      names.push_back(fmt::format("fold-{}", i));
      history.place("InProgress", "Training", "", names.back());
      history.aws().pass(seconds(10));
    }
    for (const std::string& name : names)
      history.transition("Failed", "InternalServerError: x", name);
    history.aws().pass(seconds(1));
    Crowd crowd(history, seed);
    for (const std::string& name : names)
      for (const char* const delivery : {"a", "b"})
        crowd.add(milliseconds(0), [&history, name, delivery](const Crowd::Member& member) {
          history.handle_with(member.transport, member.clock,
                              history.event("Failed", "Failed", name), name + delivery);
        });
    crowd.run();
    EXPECT_EQ(history.aws().created().size(), 1U) << seed;
    EXPECT_EQ(history.copies_of(names.back()).size(), 1U) << seed;
  }
}

}  // namespace
}  // namespace trainwarden::testing::crowd_test
