// The proof of the hourly digest (policy.md A9): wherever a function dies, people hear of each
// limit that was reached, and not job by job.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::digest_proof_test {
namespace {

using std::chrono::minutes;

// Nothing may be stopped: events reach the one limit, sweeps the other.
rules::Policy policy_of_limits() {
  return policy(kMustStop, "enforce", R"("limits":{"stops_per_hour":0,"stops_per_sweep":1},)");
}

// How often people heard of that limit, by a message of its own or in a digest.
std::ptrdiff_t heard_of(const History& history, const std::string& limit) {
  return std::ranges::count_if(history.notices(), [&](const SentNotice& one) {
    return one.text.find("\"limit\":\"" + limit + "\"") != std::string::npos;
  });
}
std::size_t messages(const History& history) { return history.notices().size(); }

void begin(History& history) {
  for (const char* job : {kJob, "other"})
    history.aws().place({.name = job, .status = "InProgress", .secondary = "Training"});
}

TEST(DigestProof, A9_WhoDiesWhileALimitIsReachedFirst) {
  each_death(policy_of_limits(), begin, {"InProgress", "Training"},
             [](History& history, const Plan& plan) {
               history.aws().pass(minutes(3));
               history.deliver("InProgress", "Training");
               history.sweep_on(9);
               EXPECT_GE(heard_of(history, "stops_per_hour"), 1) << show(plan);
               EXPECT_GE(heard_of(history, "stops_per_sweep"), 1) << show(plan);
               // Within two and a half hours: one at once, three digests, and one more after a
               // death.
               EXPECT_LE(messages(history), 5U) << show(plan);
             });
}

TEST(DigestProof, A9_WhoDiesWhileItGathers) {
  each_death(
      policy_of_limits(),
      [](History& history) {
        begin(history);
        history.sweep();  // the sweep's limit is told at once
      },
      {"InProgress", "Training"},
      [](History& history, const Plan& plan) {
        history.aws().pass(minutes(3));
        history.deliver("InProgress", "Training");
        history.sweep_on(6);
        EXPECT_GE(heard_of(history, "stops_per_hour"), 1) << show(plan);
        EXPECT_LE(messages(history), 3U) << show(plan);
      });
}

TEST(DigestProof, A9_WhoDiesWhileItSendsADigest) {
  each_death(
      policy_of_limits(),
      [](History& history) {
        begin(history);
        history.deliver("InProgress", "Training");
        history.sweep();
        EXPECT_EQ(messages(history), 1U);
        history.aws().pass(minutes(61));
      },
      kSweep,
      [](History& history, const Plan& plan) {
        history.sweep_on(3);
        EXPECT_GE(heard_of(history, "stops_per_sweep"), 1) << show(plan);
        const std::size_t twice = died_between_telling_and_noting(history, plan) ? 1 : 0;
        EXPECT_LE(messages(history), 2 + twice) << show(plan);
      });
}

// Two hundred jobs within an hour are held back: people hear once at once, and once in a digest.
TEST(DigestProof, A9_ABurstIsTwoMessages) {
  constexpr int kJobs = 200;
  const rules::Policy nothing = policy_of_limits();
  History history(nothing);
  for (int i = 0; i < kJobs; ++i)
    history.aws().place(
        {.name = "job-" + std::to_string(i), .status = "InProgress", .secondary = "Training"});
  for (int i = 0; i < kJobs; ++i) {
    history.deliver("InProgress", "Training", "job-" + std::to_string(i));
    history.aws().pass(std::chrono::seconds(10));
    if (i % 90 == 89) history.sweep();
  }
  EXPECT_EQ(messages(history), 1U);
  history.aws().pass(minutes(30));
  history.sweep();
  EXPECT_EQ(messages(history), 2U);
  EXPECT_EQ(history.aws().status("job-0"), "InProgress");
}

}  // namespace
}  // namespace trainwarden::testing::digest_proof_test
