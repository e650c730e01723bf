// The proof of announced stops (policy.md A1, grace_seconds): wherever a function dies, nobody is
// stopped without having been told in time, and in the end the job is stopped.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::grace_proof_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kAnnounced = R"(
  {"name": "no-p4", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                              "tags": {"keep": [{"exists": false}]}},
   "actions": [{"stop": {"grace_seconds": 900}}, "notify"], "message": "Nobody may use p4."})";

bool is_warning(const localaws::Message& message) {
  return std::ranges::any_of(message.attributes, [](const localaws::MessageAttribute& one) {
    return one.name == "outcome" && one.value == "warned";
  });
}

// Watches the first stop: it was announced, long enough before.
void watch_stop(History& history) {
  history.aws().before("StopTrainingJob", [&history] {
    const auto notices = history.aws().notices();
    EXPECT_TRUE(std::ranges::any_of(notices, [&](const localaws::Message& one) {
      return is_warning(one) && history.clock().now() - one.time >= seconds(900) / 2;
    })) << "stopped unannounced";
  });
}

void begin(History& history) {
  history.place("InProgress", "Training");
  watch_stop(history);
}

void expect_stopped(History& history, const Plan& plan) {
  history.sweep_on(6);
  EXPECT_NE(history.aws().status(kJob), "InProgress") << show(plan);
  EXPECT_GE(history.notices("warned"), 1) << show(plan);
  EXPECT_GE(history.notices("stopped"), 1) << show(plan);
  const bool may_be_twice = died_between_telling_and_noting(history, plan);
  EXPECT_LE(history.notices("stopped"), may_be_twice ? 2 : 1) << show(plan);
}

TEST(GraceProof, A1_WhoDiesWhileAnnouncing) {
  each_death(policy(kAnnounced), begin, {"InProgress", "Training"}, expect_stopped);
}

TEST(GraceProof, A1_WhoDiesWhileStopping) {
  each_death(
      policy(kAnnounced),
      [](History& history) {
        begin(history);
        history.deliver("InProgress", "Training");
        history.aws().pass(minutes(15));
      },
      {"InProgress", "Training"}, expect_stopped);
}

// Whoever is at work when the owner keeps the job: it is never stopped afterwards.
TEST(GraceProof, A1_WhoPutsItRightInTimeKeepsTheJob) {
  each_death(policy(kAnnounced), begin, {"InProgress", "Training"},
             [](History& history, const Plan& plan) {
               history.aws().tag_job(kJob, "keep", "yes");
               history.sweep_on(6);
               EXPECT_EQ(history.aws().status(kJob), "InProgress") << show(plan);
               EXPECT_FALSE(history.is_due()) << show(plan);
             });
}

TEST(GraceProof, A1_TwoFunctionsAtOnceAnnounceItOnce) {
  const Scenario scenario{policy(kAnnounced),
                          begin,
                          {{"InProgress", "Training"}},
                          [](History& history, const Plan& plan) {
                            EXPECT_EQ(history.notices("warned"), 1) << show(plan);
                          }};
  interleave(scenario, {{"InProgress", "Training"}, kSweep}, seconds(0), seconds(150));
}

}  // namespace
}  // namespace trainwarden::testing::grace_proof_test
