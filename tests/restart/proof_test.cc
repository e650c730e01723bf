// The proof of restarts (policy.md A2, A3, A5): whatever is lost, doubled, reordered or killed, in
// the end there is exactly one copy, it was started after its original had ended, and people heard
// of it once, with the reason.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::proof_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// kThrash and kResume say why.
constexpr const char* kWhyThrash = "Spot takes its machines away.";
constexpr const char* kWhyResume = "It is run again.";

void expect_told_once(History& history, const Plan& plan, const char* outcome, const char* why) {
  const auto notices = history.notices();
  const bool may_be_twice = died_between_telling_and_noting(history, plan);
  EXPECT_GE(notices.size(), 1U) << show(plan);
  EXPECT_LE(notices.size(), may_be_twice ? 2U : 1U) << show(plan);
  for (const SentNotice& one : notices) {
    EXPECT_EQ(one.outcome, outcome) << show(plan) << one.text;
    EXPECT_NE(one.text.find(why), std::string::npos) << show(plan) << one.text;
  }
}

void expect_one_copy(History& history, const Plan& plan, const char* why) {
  InProcessAws& aws = history.aws();
  ASSERT_EQ(aws.created().size(), 1U) << show(plan);
  ASSERT_EQ(history.copies_of(kJob).size(), 1U) << show(plan);
  const std::string& copy = aws.created().front();
  EXPECT_EQ(aws.tag(copy, "trainwarden:generation"), "1") << show(plan);
  EXPECT_EQ(aws.tag(copy, "trainwarden:child"), "") << show(plan);
  expect_told_once(history, plan, "restarted", why);
  const rules::JobItem item = history.item();
  ASSERT_TRUE(item.copy) << show(plan);
  EXPECT_TRUE(item.copy->made) << show(plan);
  EXPECT_EQ(item.copy->name, copy) << show(plan);
  EXPECT_FALSE(item.closed) << show(plan);
  EXPECT_FALSE(rules::due_since(item)) << show(plan);
}

Scenario running() {
  return {policy(kThrash),
          [](History& history) {
            history.place("InProgress", "Training");
            history.transition("Interrupted");
          },
          {{"InProgress", "Interrupted"}, {"Stopping", "Stopping"}, {"Stopped", "Stopped"}},
          [](History& history, const Plan& plan) { expect_one_copy(history, plan, kWhyThrash); }};
}

// Nobody can write a tag.
Scenario running_untagged() {
  Scenario out = running();
  out.begin = [](History& history) {
    history.place("InProgress", "Training");
    history.transition("Interrupted");
    history.aws().refuse("AddTags", kDenied, 1000);
  };
  return out;
}

Scenario failed() {
  return {policy(kResume),
          [](History& history) {
            history.place("InProgress", "Training");
            history.transition("Uploading");
            history.transition("Failed", "InternalServerError: We encountered an internal error.");
          },
          {{"InProgress", "Uploading"}, {"Failed", "Failed"}},
          [](History& history, const Plan& plan) { expect_one_copy(history, plan, kWhyResume); }};
}

constexpr milliseconds kTooSoon{100};    // the job is still stopping
constexpr milliseconds kLater{150'000};  // it has ended, and claims are over

TEST(Proof, A2_ARunningJobIsReplacedByExactlyOneCopy) { prove(running(), kLater, 3, 1000); }
TEST(Proof, A2_ARunningJobIsReplacedByExactlyOneCopyWhenAllHappensAtOnce) {
  prove(running(), kTooSoon, 3, 1000);
}
TEST(Proof, A2_AJobThatTakesNoTagsIsReplacedByExactlyOneCopy) {
  prove(running_untagged(), kLater, 2, 100);
}
TEST(Proof, A2_AFailedJobIsCopiedExactlyOnce) { prove(failed(), kLater, 3, 1000); }
TEST(Proof, A2_AFailedJobIsCopiedExactlyOnceWhenAllHappensAtOnce) {
  prove(failed(), kTooSoon, 3, 1000);
}

TEST(Proof, A2_TwoFunctionsAtOnceMakeOneCopy) {
  for (const seconds before : {seconds(0), seconds(2)})
    for (const seconds after : {seconds(0), seconds(4), seconds(150)}) {
      if (before != seconds(0) && after != seconds(4)) continue;
      interleave(running(), {{"InProgress", "Interrupted"}, kSweep}, before, after);
      interleave(failed(), {{"Failed", "Failed"}, kSweep}, before, after);
    }
}

}  // namespace
}  // namespace trainwarden::testing::proof_test
