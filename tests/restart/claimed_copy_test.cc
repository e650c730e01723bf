// What happens to a job between the claim of its copy and CreateTrainingJob, while the function
// that was about to make it is dead (policy.md A2, A3). The function dies at each of its calls in
// turn, so that each case meets the copy unclaimed, claimed, made and noted.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::claimed_copy_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Step kStopped{"Stopped", "Stopped"};
const Step kFailed{"Failed", "Failed"};

// Stopped by kThrash to be run again.
void stop_to_copy(History& history) {
  ASSERT_EQ(thrashed(history), kStoppingToCopy);
  history.aws().pass(minutes(2));
}

bool is_made(History& history) { return !history.aws().created().empty(); }

// The delivery comes again, and so do the sweeps.
void go_on(History& history, const Plan& plan) {
  history.repeat();
  history.deliver(plan.deliveries[0].status, plan.deliveries[0].secondary);
  sweep_up(history, plan);
}

// In the end there is nothing owed: the copy was made, or people heard why not.
void expect_end(History& history, const Plan& plan, bool copied) {
  EXPECT_EQ(history.aws().created().size(), copied ? 1U : 0U) << show(plan);
  EXPECT_FALSE(history.is_due()) << show(plan);
  const bool twice = died_between_telling_and_noting(history, plan);
  if (copied) {
    EXPECT_EQ(history.notices("refused"), 0) << show(plan);
    return;
  }
  EXPECT_GE(history.notices("refused"), 1) << show(plan);
  EXPECT_LE(history.notices("refused"), twice ? 2 : 1) << show(plan);
  EXPECT_TRUE(history.item().closed) << show(plan);
}

struct Case {
  const char* rule;
  void (*begin)(History&);
  Step event;
};
const Case kCases[] = {{kThrash, stop_to_copy, kStopped},
                       {kResume, [](History& history) { place_ended(history); }, kFailed}};

void for_each_death(void (*then)(History&, const Plan&)) {
  for (const Case& one : kCases) each_death(policy(one.rule), one.begin, one.event, then);
}

TEST(ClaimedCopy, A2_AnotherJobTakesTheCheckpoint) {
  for_each_death([](History& history, const Plan& plan) {
    const bool made = is_made(history);
    history.place("InProgress", "Training", "", "by-hand");
    go_on(history, plan);
    expect_end(history, plan, made);
  });
}

TEST(ClaimedCopy, A2_TheJobIsDeleted) {
  for_each_death([](History& history, const Plan& plan) {
    const bool made = is_made(history);
    const bool begun = history.item().restart.has_value();
    const bool noted = made && history.item().copy->made;
    ASSERT_TRUE(history.aws().call("DeleteTrainingJob",
                                   fmt::format(R"({{"TrainingJobName":"{}"}})", kJob)));
    go_on(history, plan);
    EXPECT_EQ(history.aws().created().size(), made ? 1U : 0U) << show(plan);
    // A copy that nobody noted is not known to be there.
    if (begun && !noted) {
      EXPECT_EQ(history.notices("refused"), 1) << show(plan);
    }
  });
}

TEST(ClaimedCopy, A2_TheModeFallsAndRisesInTime) {
  for_each_death([](History& history, const Plan& plan) {
    const bool made = is_made(history);
    const bool pending = rules::has_pending_copy(history.item());
    for (const rules::Mode mode : {rules::Mode::kNotify, rules::Mode::kObserve}) {
      history.config().ceiling = mode;
      history.repeat();
      history.deliver(plan.deliveries[0].status, plan.deliveries[0].secondary);
      history.sweep_on(8);
      EXPECT_EQ(is_made(history), made) << show(plan);
      EXPECT_EQ(rules::has_pending_copy(history.item()), pending) << show(plan);
    }
    history.aws().pass(hours(20));
    history.config().ceiling = rules::Mode::kEnforce;
    go_on(history, plan);
    expect_end(history, plan, true);
  });
}

TEST(ClaimedCopy, A2_TheModeFallsAndRisesTooLate) {
  for_each_death([](History& history, const Plan& plan) {
    const bool made = is_made(history);
    const bool pending = rules::has_pending_copy(history.item());
    history.config().ceiling = rules::Mode::kNotify;
    history.aws().pass(hours(27));
    history.sweep_on(1);
    EXPECT_EQ(rules::has_pending_copy(history.item()), pending) << show(plan);
    history.config().ceiling = rules::Mode::kEnforce;
    sweep_up(history, plan);
    EXPECT_EQ(is_made(history), made) << show(plan);
    EXPECT_EQ(history.notices("refused"), pending && !made ? 1 : 0) << show(plan);
    if (pending && !made) {
      EXPECT_EQ(history.item().closed->why, rules::Closed::kOverdue) << show(plan);
    }
    EXPECT_FALSE(history.is_due()) << show(plan);
  });
}

// A weaker mode of the policy, another policy: half a restart is worse than either end.
TEST(ClaimedCopy, A2_ThePolicyChanges) {
  for (const char* const mode : {"observe", "notify"})
    each_death(policy(kThrash), stop_to_copy, kStopped, [&](History& history, const Plan& plan) {
      history.enforce(mode == std::string("observe") ? kThrash : kNothing, mode);
      go_on(history, plan);
      expect_end(history, plan, true);
    });
}

// The request for the copy that a function would make.
std::string request_for_copy(const Case& one) {
  const rules::Policy rules = policy(one.rule);
  History history(rules);
  history.sweep();
  history.aws().pass(minutes(5));
  one.begin(history);
  history.deliver(one.event.status, one.event.secondary);
  EXPECT_EQ(history.aws().create_requests.size(), 1U);
  return history.aws().create_requests.at(0);
}

std::string without_tags(const std::string& request) {
  const auto document = json::Document::parse(request);
  return json::to_text(json::Document::build([&](json::Sink& out) {
                         out.begin_object();
                         for (const json::Member member : document->root().members())
                           if (member.name != "Tags") out.member(member.name, member.value);
                         out.end_object();
                       }).root());
}

TEST(ClaimedCopy, A3_ItIsMadeByHand) {
  for (const Case& one : kCases)
    for (const bool tagged : {true, false}) {
      const std::string request =
          tagged ? request_for_copy(one) : without_tags(request_for_copy(one));
      each_death(policy(one.rule), one.begin, one.event, [&](History& history, const Plan& plan) {
        const bool made = is_made(history);
        const bool claimed = history.item().copy.has_value();
        history.aws().pass(seconds(30));
        const auto by_hand = history.aws().call("CreateTrainingJob", request);
        EXPECT_EQ(by_hand.has_value(), !made) << show(plan);
        go_on(history, plan);
        // One and the same job, whoever made it.
        EXPECT_EQ(history.aws().created().size(), made ? 1U : 0U) << show(plan);
        EXPECT_FALSE(history.is_due()) << show(plan);
        if (claimed) {
          EXPECT_TRUE(history.item().copy->made) << show(plan);
          EXPECT_FALSE(history.item().closed) << show(plan);
        }
      });
    }
}

// Whether the function that made it had noted that or not: there are never two.
TEST(ClaimedCopy, A3_ItWasMadeAndDeleted) {
  for_each_death([](History& history, const Plan& plan) {
    if (!is_made(history)) return;
    const std::string copy = history.aws().created()[0];
    const bool noted = history.item().copy->made;
    history.aws().pass(minutes(10));
    history.transition("Completed", "", copy);
    history.aws().pass(minutes(10));
    ASSERT_TRUE(history.aws().call("DeleteTrainingJob",
                                   fmt::format(R"({{"TrainingJobName":"{}"}})", copy)));
    go_on(history, plan);
    if (noted) {
      EXPECT_EQ(history.aws().created().size(), 1U) << show(plan);
    }
    for (const std::string& name : history.aws().created()) EXPECT_EQ(name, copy) << show(plan);
  });
}

TEST(ClaimedCopy, A3_ALaterJobTakesTheName) {
  for (const Case& one : kCases) {
    const auto request = json::Document::parse(request_for_copy(one));
    const std::string name(request->root().find("TrainingJobName")->as_string());
    each_death(policy(one.rule), one.begin, one.event, [&](History& history, const Plan& plan) {
      const bool made = is_made(history);
      // Another checkpoint: it is no copy, whatever its tags say.
      if (!made)
        history.aws().place({.name = name,
                             .tags = {{"trainwarden:parent", kJob},
                                      {"trainwarden:generation", "1"},
                                      {"trainwarden:root", kJob}}});
      go_on(history, plan);
      expect_end(history, plan, made);
    });
  }
}

}  // namespace
}  // namespace trainwarden::testing::claimed_copy_test
