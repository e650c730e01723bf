// How `trainwarden restart` waits for a job's end.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/handlers/cli/arguments.h"
#include "tests/handlers/cli/restart/restart_fixture.h"

namespace trainwarden::cli::restart_wait_test {
namespace {

// Describe is asked by the settled look first, then by the wait.
TEST_F(RestartByHand, ItAsksMoreAndMoreSeldomButTwiceAMinuteAtLeast) {
  aws_.place(stopping());
  std::vector<sys_millis> asked;
  aws_.meanwhile = [&](int call) {
    if (aws_.calls[static_cast<std::size_t>(call)] != "DescribeTrainingJob") return;
    if (clock_.now() - kBegin > hours(3) && aws_.status("run") == "Stopping")
      aws_.enter("run", "Stopped");
    if (asked.empty() || asked.back() != clock_.now()) asked.push_back(clock_.now());
  };
  const Printed out = restart();
  EXPECT_EQ(out.status, 0) << out.error;
  ASSERT_GT(asked.size(), 300U);
  ASSERT_LT(asked.size(), 400U);
  for (std::size_t i = 2; i < asked.size(); ++i) {
    EXPECT_LE(asked[i] - asked[i - 1], seconds(31)) << i;
    EXPECT_GE(asked[i] - asked[i - 1], asked[i - 1] - asked[i - 2] - seconds(1)) << i;
  }
  EXPECT_LE(asked[1] - asked[0], seconds(5));
}

TEST_F(RestartByHand, WhereNoTerminalIsItTellsChangesAndALineNowAndThen) {
  aws_.place(stopping());
  aws_.before("DescribeTrainingJob", [&] { aws_.enter("run", "Stopped"); }, 45);  // in 20 minutes
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  EXPECT_TRUE(has(out.error, "run: Stopping/Stopping, for 0 s\n")) << out.error;
  EXPECT_TRUE(has(out.error, "run: Stopping/Stopping, for 5 min 0 s\n")) << out.error;
  EXPECT_FALSE(has(out.error, "\x1b"));
  EXPECT_LE(lines(out.error), 9) << out.error;
}

TEST_F(RestartByHand, OnATerminalOneLineIsReplaced) {
  terminal_ = true;
  aws_.place(stopping());
  aws_.before("DescribeTrainingJob", [&] { aws_.enter("run", "Stopped"); }, 6);
  const Printed out = restart();
  EXPECT_TRUE(has(out.error, "\r\x1b[Krun: Stopping/Stopping, for 1 s\r\x1b[K")) << out.error;
  EXPECT_TRUE(out.error.ends_with("\r\x1b[K")) << out.error;  // nothing is left standing
}

// A line that a terminal breaks could not be taken away again.
TEST_F(RestartByHand, OnATerminalTheLineKeepsToOneRow) {
  terminal_ = true;
  PlacedJob job = stopping();
  job.name = std::string(63, 'n');
  aws_.place(job);
  aws_.before("DescribeTrainingJob", [&] { aws_.enter(job.name, "Stopped"); }, 20);
  const Printed out = restart({.job = job.name});
  EXPECT_EQ(out.status, 0) << out.error;
  EXPECT_TRUE(has(out.error, "\r\x1b[KStopping/Stopping, for 1 min 1 s\r\x1b[K")) << out.error;
}

TEST_F(RestartByHand, WhatPassesIsWaitedFor) {
  aws_.place(running());
  aws_.before("StopTrainingJob",
              [&] { aws_.refuse("DescribeTrainingJob", testing::kThrottled, 4); });
  const Printed out = restart();
  EXPECT_EQ(out.status, 0) << out.error;
  EXPECT_TRUE(has(out.error, "run: AWS gives no answer (Throttled), for ")) << out.error;
}

TEST_F(RestartByHand, WhatDoesNotPassIsGivenUpAfterAWhile) {
  aws_.place(running());
  aws_.before("StopTrainingJob",
              [&] { aws_.refuse("DescribeTrainingJob", testing::kFault, 1000); });
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "the same command goes on from there: trainwarden restart run\n"));
  EXPECT_GT(clock_.now() - kBegin, minutes(15));
  EXPECT_LT(clock_.now() - kBegin, minutes(17));
}

TEST_F(RestartByHand, InterruptedWithinASecondOfTheAsking) {
  aws_.place(stopping());
  aws_.before("DescribeTrainingJob", [&] { interrupted_ = true; }, 40);
  const Printed out = restart();
  EXPECT_EQ(out.status, 130);
  EXPECT_LE(clock_.slept.back(), seconds(1));
}

TEST(RestartArguments, TheCommandToGiveAgainIsTheOneThatWasGiven) {
  const Arguments words{"run",           "--spot",  "true", "--instance-type",
                        "ml.g5.2xlarge", "--limit", "5"};
  const auto inputs = read_restart(words.get());
  ASSERT_TRUE(inputs);
  EXPECT_EQ(same_command(*inputs),
            "trainwarden restart run --spot true --instance-type ml.g5.2xlarge --limit 5");
  EXPECT_EQ(same_command({.job = "run"}), "trainwarden restart run");
}

}  // namespace
}  // namespace trainwarden::cli::restart_wait_test
