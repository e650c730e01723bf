// The proof of stops for good (policy.md A1, P4, A5): whatever is lost, doubled, reordered or
// killed, the job is stopped, no rule runs it again, and people heard of it once, with the reason.
#include <gtest/gtest.h>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::stop_proof_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void expect_stopped_for_good(History& history, const Plan& plan) {
  EXPECT_EQ(history.aws().status(kJob), "Stopped") << show(plan);
  EXPECT_TRUE(history.aws().created().empty()) << show(plan);
  const bool may_be_twice = died_between_telling_and_noting(history, plan);
  int stopped = 0;
  for (const SentNotice& one : history.notices()) {
    if (one.outcome == "stopped") ++stopped;
    EXPECT_NE(one.outcome, "restarted") << show(plan) << one.text;
    // A rule that would run it again may say that it must not.
    EXPECT_NE(one.text.find(one.outcome == "stopped" ? "Nobody may use p4 machines."
                                                     : "It is run again."),
              std::string::npos)
        << show(plan) << one.text;
  }
  EXPECT_GE(stopped, 1) << show(plan);
  EXPECT_LE(history.notices().size(), may_be_twice ? 3U : 2U) << show(plan);
  EXPECT_LE(stopped, may_be_twice ? 2 : 1) << show(plan);
  EXPECT_FALSE(history.is_due()) << show(plan);
}

Scenario stopped() {
  return {policy(both(kMustStop, kResume)),
          [](History& history) {
            history.place("InProgress", "Starting");
            history.transition("Training");
          },
          {{"InProgress", "Training"}, {"Stopping", "Stopping"}, {"Stopped", "Stopped"}},
          expect_stopped_for_good};
}

TEST(StopProof, A1_AJobIsStoppedForGood) { prove(stopped(), milliseconds(150'000), 3, 1000); }
TEST(StopProof, A1_AJobIsStoppedForGoodWhenAllHappensAtOnce) {
  prove(stopped(), milliseconds(100), 3, 1000);
}
TEST(StopProof, A1_TwoFunctionsAtOnceStopItAndTellOnce) {
  for (const seconds after : {seconds(0), seconds(150)})
    interleave(stopped(), {{"InProgress", "Training"}, kSweep}, seconds(0), after);
}

// A rule that only tells: in the mode notify, nothing but the table is written.
Scenario told_only() {
  return {policy(kMustStop, "notify"),
          [](History& history) {
            history.place("InProgress", "Starting");
            history.transition("Training");
          },
          {{"InProgress", "Training"}},
          [](History& history, const Plan& plan) {
            const bool may_be_twice = died_between_telling_and_noting(history, plan);
            EXPECT_EQ(history.aws().status(kJob), "InProgress") << show(plan);
            EXPECT_EQ(history.aws().count("AddTags"), 0) << show(plan);
            EXPECT_GE(history.notices("none"), 1) << show(plan);
            EXPECT_LE(history.notices("none"), may_be_twice ? 2 : 1) << show(plan);
            EXPECT_EQ(history.notices("none"),
                      static_cast<std::ptrdiff_t>(history.notices().size()));
          }};
}

TEST(StopProof, A5_WhatIsOnlyToldIsToldOnce) {
  prove(told_only(), milliseconds(150'000), 3, 100);
  interleave(told_only(), {{"InProgress", "Training"}, kSweep}, seconds(0), seconds(150));
}

// The function died on its way to the stop of a restart, and nobody repeats it. A minute later a
// person stops the job, and means it.
TEST(StopProof, A2_APersonsStopIsNotUndone) {
  each_death(
      policy(kThrash), [](History& history) { history.place("InProgress", "Interrupted"); },
      {"InProgress", "Interrupted"},
      [](History& history, const Plan& plan) {
        history.aws().pass(minutes(1));
        const bool ours = history.aws().status(kJob) != "InProgress";
        if (!ours) history.stop_by_hand();
        history.aws().pass(minutes(2));
        ASSERT_EQ(history.aws().status(kJob), "Stopped") << show(plan);
        const bool begun = history.item().restart.has_value();
        history.deliver("Stopping", "Stopping");
        history.deliver("Stopped", "Stopped");
        sweep_up(history, plan);
        EXPECT_EQ(history.aws().created().size(), ours ? 1U : 0U) << show(plan);
        EXPECT_EQ(history.notices("refused"), !ours && begun ? 1 : 0) << show(plan);
        if (!ours) {
          EXPECT_EQ(history.notices("restarted"), 0) << show(plan);
        }
        EXPECT_FALSE(history.is_due()) << show(plan);
      });
}

// The function died on its way to a restart, and nobody repeats it; then a rule stops the job for
// good.
TEST(StopProof, P4_AStopThatComesWhereARestartDiedBeatsIt) {
  each_death(
      policy(kThrash), [](History& history) { history.place("InProgress", "Interrupted"); },
      {"InProgress", "Interrupted"},
      [](History& history, const Plan& plan) {
        const bool ours = history.aws().status(kJob) != "InProgress";
        history.enforce(both(kMustStop, kResume));
        history.aws().pass(seconds(5));
        history.deliver("InProgress", "Interrupted");
        history.aws().pass(minutes(3));
        history.deliver("Stopped", "Stopped");
        sweep_up(history, plan);
        EXPECT_EQ(history.aws().status(kJob), "Stopped") << show(plan);
        EXPECT_EQ(history.aws().created().size(), ours ? 1U : 0U) << show(plan);
        EXPECT_EQ(history.notices("stopped"), ours ? 0 : 1) << show(plan);
        EXPECT_FALSE(history.is_due()) << show(plan);
      });
}

// The other way round: the function died on its way to a stop, and a rule asks for a restart.
TEST(StopProof, P4_AStopThatDiedIsCarriedOutOrNone) {
  each_death(
      policy(kMustStop), [](History& history) { history.place("InProgress", "Interrupted"); },
      {"InProgress", "Interrupted"},
      [](History& history, const Plan& plan) {
        const bool stopped = history.aws().status(kJob) != "InProgress";
        history.enforce(both(kThrash, kResume));
        history.aws().pass(minutes(stopped ? 3 : 20));
        history.deliver("InProgress", "Interrupted");
        history.aws().pass(minutes(3));
        history.deliver("Stopped", "Stopped");
        sweep_up(history, plan);
        EXPECT_EQ(history.aws().created().size(), stopped ? 0U : 1U) << show(plan);
        const bool twice = died_between_telling_and_noting(history, plan);
        EXPECT_GE(history.notices("stopped"), stopped ? 1 : 0) << show(plan);
        EXPECT_LE(history.notices("stopped"), stopped ? (twice ? 2 : 1) : 0) << show(plan);
        EXPECT_FALSE(history.is_due()) << show(plan);
      });
}

// Nobody repeats the delivery: the sweep tells, with the reason that no rule knows by then.
TEST(StopProof, A5_AReasonIsNotLostWithTheFunctionNorWithTheRule) {
  for (const char* const rule : {kMustStop, kThrash}) {
    each_death(
        policy(rule), [](History& history) { history.place("InProgress", "Interrupted"); },
        {"InProgress", "Interrupted"},
        [&](History& history, const Plan& plan) {
          const bool stopped = history.aws().status(kJob) != "InProgress";
          history.enforce(kNothing);
          history.aws().pass(minutes(3));
          sweep_up(history, plan);
          const bool twice = died_between_telling_and_noting(history, plan);
          const auto notices = history.notices();
          EXPECT_GE(notices.size(), stopped ? 1U : 0U) << show(plan);
          EXPECT_LE(notices.size(), stopped ? (twice ? 2U : 1U) : 0U) << show(plan);
          for (const SentNotice& one : notices) {
            const char* const why =
                rule == kThrash ? "Spot takes its machines away." : "Nobody may use p4 machines.";
            EXPECT_NE(one.text.find(why), std::string::npos) << show(plan) << one.text;
          }
        });
  }
}

}  // namespace
}  // namespace trainwarden::testing::stop_proof_test
