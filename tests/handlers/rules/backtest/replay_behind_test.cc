// A stop by what a job is hides no other rule, and no limit hides a stop (issue 41, 1).
#include <gtest/gtest.h>

#include "handlers/rules/backtest/totals.h"
#include "tests/handlers/rules/backtest/replay_fixture.h"

namespace trainwarden::rules::replay_behind_test {
namespace {

using replay_fixture::at;
using replay_fixture::kept;
using replay_fixture::kHour;
using replay_fixture::MadeUp;
using replay_fixture::one;
using replay_fixture::replayed;
using replay_fixture::rules;

// The tag is misspelt: no job has it.
const std::string kMisspelt =
    R"({"name": "needs-project", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"projct": [{"exists": false}]}}, "actions": ["stop"]})";
const std::string kLong =
    R"({"name": "long", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 7200]}]}}, "actions": ["stop"]})";
const std::string kLarge =
    R"({"name": "large", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "resources": {"instance_types": ["ml.g5.12xlarge"]}}, "actions": ["stop"]})";
const std::string kFailed =
    R"({"name": "failed", "match": {"job": {"TrainingJobStatus": ["Failed"]}}, "actions": ["notify"]})";

std::string both(const std::string& a, const std::string& b, const std::string& members = "") {
  return rules(a + ", " + b, members);
}

TEST(ReplayBehind, OtherRulesAreJudgedAsIfTheStopAtCreationHadNotCome) {
  for (const std::string& policy : {both(kMisspelt, kLong), both(kLong, kMisspelt)}) {
    const JobFinding found = one(policy, {});
    ASSERT_TRUE(found.stop);
    EXPECT_EQ(found.stop->verdict, StopVerdict::kRule);
    EXPECT_EQ(found.stop->at, at(15));
    // The same as without the misspelt rule.
    const JobFinding alone = one(rules(kLong), {});
    ASSERT_EQ(found.behind.size(), 1U);
    EXPECT_EQ(found.behind[0].at, alone.stop->at);
    EXPECT_EQ(found.behind[0].verdict, alone.stop->verdict);
    EXPECT_EQ(found.behind[0].before_usd, alone.stop->before_usd);
  }
}

TEST(ReplayBehind, ARuleOnTheSameMomentIsJudgedToo) {
  const JobFinding found = one(rules(kMisspelt + ", " + kLarge + ", " + kLong), {});
  ASSERT_TRUE(found.stop);
  ASSERT_EQ(found.behind.size(), 2U);
  EXPECT_EQ(found.behind[0].rule, 1U);
  EXPECT_EQ(found.behind[0].verdict, StopVerdict::kRule);
  EXPECT_EQ(found.behind[0].at, at(0));
  EXPECT_EQ(found.behind[1].rule, 2U);
}

// After a stop by what the job did nothing is behind: the job is no more.
TEST(ReplayBehind, NothingFollowsAStopByWhatTheJobDid) {
  const std::string later =
      R"({"name": "later", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 10000]}]}}, "actions": ["stop"]})";
  EXPECT_TRUE(one(both(kLong, later), {}).behind.empty());
  EXPECT_EQ(one(rules(kMisspelt + ", " + kLong + ", " + later), {}).behind.size(), 1U);
  EXPECT_TRUE(one(rules(kMisspelt), {}).behind.empty());
}

TEST(ReplayBehind, NoticesBehindAStopAreMarked) {
  MadeUp job;
  job.status = job.secondary = "Failed";
  const JobFinding found = one(both(kMisspelt, kFailed), job);
  ASSERT_EQ(found.actions.size(), 1U);
  EXPECT_TRUE(found.actions[0].behind);
  EXPECT_FALSE(one(rules(kFailed), job).actions[0].behind);
}

TEST(ReplayBehind, ARestartThatAStopBeatsIsJudgedBehindIt) {
  const std::string restart =
      R"({"name": "off-spot", "match": {"job": {"SecondaryStatus": ["Interrupted"]}}, "actions": [{"restart": {"spot": false}}]})";
  MadeUp job;
  job.segments = {{600, 3600}, {7200, 4 * kHour}};
  const JobFinding found = one(both(kMisspelt, restart), job);
  ASSERT_EQ(found.behind.size(), 1U);
  EXPECT_TRUE(found.behind[0].restarts);
  EXPECT_EQ(found.behind[0].at, at(3600));
}

TEST(ReplayBehind, ALimitDoesNotHideWhatWasAskedFor) {
  std::vector<KeptJob> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(kept({.name = fmt::format("run-{}", i)}));
  const auto found =
      replayed(both(kMisspelt, kLong, R"("limits": {"stops_per_hour": 0},)"), std::move(jobs));
  for (const JobFinding& job : found) {
    EXPECT_FALSE(job.stop);
    ASSERT_TRUE(job.asked);
    EXPECT_EQ(job.asked->verdict, StopVerdict::kRule);
    ASSERT_EQ(job.behind.size(), 1U);
    EXPECT_EQ(job.behind[0].rule, 1U);
  }
  Findings findings;
  findings.jobs = found;
  findings.rules.resize(2);
  const Totals totals = totals_of(findings);
  EXPECT_EQ(totals.stopped.jobs, 5U);
  EXPECT_EQ(totals.stopped.by_what_they_are, 5U);
  EXPECT_EQ(totals.stopped.held_back, 5U);
  EXPECT_NEAR(totals.stopped.usd, totals.all.usd(), 1e-9);
  EXPECT_EQ(totals.rules[0].asked, 5U);
  // Each completed, so each stop behind was wrong; it is in no other sum.
  EXPECT_EQ(totals.rules[1].behind.of(StopVerdict::kWrong).stops, 5U);
  EXPECT_EQ(totals.rules[1].of(StopVerdict::kWrong).stops, 0U);
  EXPECT_EQ(totals.wrong(), 0U);
  EXPECT_EQ(totals.wrong_with_behind(), 5U);
  EXPECT_EQ(totals.destroyed_usd(), 0);
}

// What rules behind a stop ask for takes no slot away from others.
TEST(ReplayBehind, LimitsDoNotCountIt) {
  std::vector<KeptJob> jobs;
  jobs.push_back(kept({.name = "stopped"}));
  MadeUp fine{.name = "fine"};
  fine.tags = R"({"projct": "x"})";
  jobs.push_back(kept(fine));
  const auto found =
      replayed(both(kMisspelt, kLong, R"("limits": {"stops_per_hour": 1},)"), std::move(jobs));
  EXPECT_EQ(found[0].behind.size(), 1U);
  ASSERT_TRUE(found[1].stop);
  EXPECT_EQ(found[1].stop->at, found[0].behind[0].at);
  EXPECT_TRUE(found[1].held_back.empty());
}

TEST(ReplayBehind, AnAnnouncedStopBehindIsDoneWhenItsTimeIsOver) {
  const std::string announced =
      R"({"name": "long", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 3600]}]}}, "actions": [{"stop": {"grace_seconds": 1800}}]})";
  const JobFinding alone = one(rules(announced), {});
  const JobFinding found = one(both(kMisspelt, announced), {});
  ASSERT_EQ(found.behind.size(), 1U);
  EXPECT_EQ(found.behind[0].at, alone.stop->at);
}

}  // namespace
}  // namespace trainwarden::rules::replay_behind_test
