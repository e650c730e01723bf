// What a replay decides, and what it says of its stops (issue 17, 3).
#include "handlers/rules/backtest/replay.h"

#include <gtest/gtest.h>

#include "tests/handlers/rules/backtest/replay_fixture.h"

namespace trainwarden::rules::replay_test {
namespace {

using replay_fixture::at;
using replay_fixture::one;
using replay_fixture::replayed;
using replay_fixture::rules;
using replay_fixture::stopping;
using replay_test_support::kept;
using replay_test_support::kHour;
using replay_test_support::MadeUp;
using std::chrono::minutes;
using std::chrono::seconds;

const std::string kTeam = stopping(
    R"({"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}})");
const std::string kLong = stopping(
    R"({"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 7200]}]}})");

std::string announced(const std::string& match, int grace_seconds) {
  return rules(fmt::format(
      R"({{"name": "r", "match": {}, "actions": [{{"stop": {{"grace_seconds": {}}}}}]}})", match,
      grace_seconds));
}

TEST(Replay, A1_AnAnnouncedStopIsDoneByTheFirstLookAfterItsTime) {
  const std::string match = R"({"job": {"TrainingJobStatus": ["InProgress"]}})";
  MadeUp job;
  const auto at_once = one(stopping(match), job).stop;
  ASSERT_TRUE(at_once);
  for (const int grace : {300, 900, 3600, 7000}) {
    const auto later = one(announced(match, grace), job).stop;
    ASSERT_TRUE(later) << grace;
    EXPECT_GE(later->at - at_once->at, seconds(grace));
    EXPECT_LE(later->at - at_once->at, seconds(grace) + minutes(15));
  }
}

TEST(Replay, A1_AJobThatEndsInTimeOrPutsItRightIsNotStopped) {
  MadeUp job;
  EXPECT_FALSE(
      one(announced(R"({"job": {"TrainingJobStatus": ["InProgress"]}})", 604800), job).stop);
  // Holds for an hour only, from the second to the third.
  const std::string hour =
      R"({"runtime": {"training_seconds": [{"numeric": [">", 7200, "<", 10800]}]}})";
  EXPECT_TRUE(one(stopping(hour), job).stop);
  EXPECT_TRUE(one(announced(hour, 1800), job).stop);
  EXPECT_FALSE(one(announced(hour, 7200), job).stop);
}

TEST(Replay, WhatWasFixedAtCreationIsARuleAndNeverKept) {
  MadeUp job;
  job.tags = "{}";
  for (const char* const end : {"Completed", "Failed", "Stopped"}) {
    job.status = job.secondary = end;
    const JobFinding found = one(kTeam, job);
    ASSERT_TRUE(found.stop) << end;
    EXPECT_EQ(found.stop->verdict, StopVerdict::kRule) << end;
    // Tags arrive late: the function waits for fifteen seconds (A1).
    EXPECT_EQ(found.stop->at, at(15));
    EXPECT_TRUE(found.stop->rests_on_tags);
  }
}

// That a state change called, and no alarm, is as fixed as the tags.
TEST(Replay, ATriggerThatIsNoAlarmLeavesARuleARule) {
  MadeUp job;
  job.tags = "{}";
  job.status = job.secondary = "Completed";
  const JobFinding found = one(stopping(R"({"event": {"trigger": ["state", "sweep"]},
                                            "tags": {"team": [{"exists": false}]}})"),
                               job);
  ASSERT_TRUE(found.stop);
  EXPECT_EQ(found.stop->verdict, StopVerdict::kRule);
}

// The export has the tags as they were at last; the time that is left is counted from the replay's
// own moment.
TEST(Replay, F15_ATimeInATagRunsOutInTheReplay) {
  MadeUp job;
  job.tags = fmt::format(R"({{"stop-at": "{}"}})", rfc3339(at(5000)));
  const JobFinding found = one(stopping(R"({"job": {"TrainingJobStatus": ["InProgress"]},
                       "until": {"stop-at": [{"numeric": ["<=", 0]}]}})"),
                               job);
  ASSERT_TRUE(found.stop);
  EXPECT_GE(found.stop->at, at(5000));
  EXPECT_TRUE(found.stop->rests_on_tags);
  EXPECT_NE(found.stop->verdict, StopVerdict::kRule);
  job.tags = fmt::format(R"({{"stop-at": "{}"}})", rfc3339(at(500000)));
  EXPECT_FALSE(one(stopping(R"({"job": {"TrainingJobStatus": ["InProgress"]},
                                "until": {"stop-at": [{"numeric": ["<=", 0]}]}})"),
                   job)
                   .stop);
}

TEST(Replay, AJobThatTheRuleIsNotAboutIsLeftAlone) {
  EXPECT_FALSE(one(kTeam, {}).stop);
  MadeUp quick;
  quick.ends = 2 * kHour + 600;  // trains for exactly two hours
  EXPECT_FALSE(one(kLong, quick).stop);
}

TEST(Replay, ARuleOnTimeActsAtTheNextSweep) {
  const JobFinding found = one(kLong, {});
  ASSERT_TRUE(found.stop);
  // Two hours after 00:10; sweeps come every quarter of an hour.
  EXPECT_EQ(found.stop->at, at(2 * kHour + 15 * 60));
  EXPECT_EQ(found.stop->trigger, Trigger::kSweep);
  // Ten dollars an hour from 00:10 on.
  EXPECT_NEAR(found.stop->before_usd.value(), 10 * 125.0 / 60, 0.01);
  EXPECT_NEAR(found.stop->before_usd.value() + found.stop->after_usd.value(), found.usd.value(),
              1e-9);
}

// The end of a log, which counts where FailureReason does not tell.
constexpr const char* kLog =
    R"({"tail": ["Traceback (most recent call last):", "  File \"train.py\", line 9, in <module>",
                 "KeyError: 'lr'"]})";

TEST(Replay, AFailureOfWhichNobodyKnowsWhyIsUnknown) {
  MadeUp job;
  job.status = job.secondary = "Failed";
  job.reason = "AlgorithmError: , exit code: 1";
  EXPECT_EQ(one(kLong, job).stop.value().verdict, StopVerdict::kUnknown);
}

TEST(Replay, AStopIsJudgedByHowTheJobWentOn) {
  struct Case {
    const char* status;
    const char* secondary;
    const char* reason;
    StopVerdict verdict;
    StopGround ground;
  };
  const Case cases[] = {
      {"Completed", "Completed", "", StopVerdict::kWrong, StopGround::kCompleted},
      {"Stopped", "MaxRuntimeExceeded", "", StopVerdict::kRight, StopGround::kReachedLimit},
      {"Stopped", "MaxWaitTimeExceeded", "", StopVerdict::kRight, StopGround::kReachedLimit},
      {"Failed", "Failed", "AlgorithmError: , exit code: 1", StopVerdict::kRight,
       StopGround::kFailedForGood},
      {"Failed", "Failed", "InternalServerError: We encountered an internal error.",
       StopVerdict::kUnknown, StopGround::kFailed},
      {"Stopped", "Stopped", "", StopVerdict::kUnknown, StopGround::kStopped}};
  for (const Case& one_case : cases) {
    MadeUp job;
    job.status = one_case.status;
    job.secondary = one_case.secondary;
    job.reason = one_case.reason;
    std::vector<KeptJob> jobs;
    jobs.push_back(kept(job));
    jobs.front().sources.set(Source::kLogs, test::doc(kLog));
    const JobFinding found = replayed(kLong, std::move(jobs)).front();
    ASSERT_TRUE(found.stop) << one_case.secondary;
    EXPECT_EQ(found.stop->verdict, one_case.verdict) << one_case.secondary << one_case.reason;
    EXPECT_EQ(found.stop->ground, one_case.ground) << one_case.secondary << one_case.reason;
  }
}

TEST(Replay, AJobThatRunsStillIsUnknown) {
  MadeUp job;
  job.status = "InProgress";
  job.secondary = "Training";
  const JobFinding found = one(kLong, job);
  ASSERT_TRUE(found.stop);
  EXPECT_EQ(found.stop->ground, StopGround::kRunsStill);
  EXPECT_FALSE(found.ended);
}

TEST(Replay, AfterAStopNothingMoreIsDecided) {
  const JobFinding found = one(
      rules(
          R"({"name": "long", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 3600]}]}}, "actions": ["stop"]},
               {"name": "told", "match": {"job": {"TrainingJobStatus": ["Completed"]}}, "actions": ["notify"]})"),
      {});
  ASSERT_TRUE(found.stop);
  EXPECT_TRUE(found.actions.empty());
}

TEST(Replay, ModesCountOnlyWhereTheyAreAskedFor) {
  std::vector<KeptJob> jobs;
  jobs.push_back(kept({}));
  ReplayTerms terms;
  terms.as_enforced = false;
  EXPECT_FALSE(replayed(kLong, std::move(jobs), std::move(terms)).front().stop);
}

TEST(Replay, TheLimitOfAnHourHoldsBack) {
  std::vector<KeptJob> jobs;
  for (int i = 0; i < 5; ++i) {
    MadeUp job;
    job.name = "run-" + std::to_string(i);
    job.created = 60 * i;
    job.tags = "{}";
    jobs.push_back(kept(job));
  }
  std::string policy = kTeam;
  policy.insert(1, R"("limits": {"stops_per_hour": 2},)");
  const auto found = replayed(policy, std::move(jobs));
  int stopped = 0;
  for (const JobFinding& job : found) {
    stopped += job.stop ? 1 : 0;
    EXPECT_EQ(job.held_back.empty(), job.name == "run-0" || job.name == "run-1") << job.name;
    for (const HeldBack& held : job.held_back) EXPECT_EQ(held.reason.why, Why::kStopsPerHour);
  }
  // The sweeps of the next hours stop the others, two an hour.
  EXPECT_EQ(stopped, 5);
  EXPECT_GE(found[4].stop->at, at(2 * kHour));
}

TEST(Replay, ASweepThatWouldStopTooManyStopsNone) {
  std::vector<KeptJob> jobs;
  for (int i = 0; i < 6; ++i) {
    MadeUp job;
    job.name = "run-" + std::to_string(i);
    jobs.push_back(kept(job));
  }
  const auto found = replayed(kLong, std::move(jobs));  // all at one sweep; five is the default
  for (const JobFinding& job : found) {
    EXPECT_FALSE(job.stop) << job.name;
    ASSERT_FALSE(job.held_back.empty());
    EXPECT_EQ(job.held_back.front().reason.why, Why::kStopsPerSweep);
  }
}

TEST(Replay, ARuleOnWhatNoExportKeepsIsUndecidable) {
  const JobFinding found = one(
      stopping(
          R"({"job": {"TrainingJobStatus": ["InProgress"]}, "logs": {"silent_seconds": [{"numeric": [">", 3600]}]}})"),
      {});
  EXPECT_FALSE(found.stop);
  ASSERT_EQ(found.undecidable.size(), 1U);
  EXPECT_EQ(found.undecidable.front().cause, Undecidable::Cause::kNotExported);
  EXPECT_EQ(found.undecidable.front().sources, SourceSet{Source::kSilence});
}

TEST(Replay, AFailureThatMayPassIsRunAgainByTheGuardsLeave) {
  const std::string again = rules(
      R"({"name": "again", "match": {"job": {"TrainingJobStatus": ["Failed"]}, "failure": {"resume": ["yes", "once"]}}, "actions": [{"restart": {}}]})");
  MadeUp job;
  job.status = job.secondary = "Failed";
  job.reason = "InternalServerError: We encountered an internal error.";
  const JobFinding found = one(again, job);
  ASSERT_EQ(found.actions.size(), 1U);
  EXPECT_EQ(found.actions.front().action, ActionKind::kRestart);
  EXPECT_EQ(found.actions.front().at, at(4 * kHour));
  job.more = R"(, "TuningJobArn": "arn:aws:sagemaker:eu-central-1:1:hyper-parameter-tuning-job/t")";
  const JobFinding of_tuner = one(again, job);
  EXPECT_TRUE(of_tuner.actions.empty());
  ASSERT_EQ(of_tuner.held_back.size(), 1U);
  EXPECT_EQ(of_tuner.held_back.front().reason.why, Why::kLaunchedByTuningJob);
}

TEST(Replay, TheFleetIsTheReplaysOwn) {
  const std::string scarce = stopping(
      R"({"job": {"TrainingJobStatus": ["InProgress"]}, "fleet": {"capacity_errors_24h": [{"numeric": [">", 0]}]}})");
  MadeUp failed;
  failed.name = "first";
  failed.status = failed.secondary = "Failed";
  failed.reason = "CapacityError: Unable to provision requested ML compute capacity.";
  failed.ends = kHour;
  MadeUp later;
  later.name = "later";
  later.created = 2 * kHour;
  later.ends = 5 * kHour;
  MadeUp next_week = later;
  next_week.name = "next-week";
  next_week.created = 7 * 24 * kHour;
  next_week.ends = next_week.created + kHour;
  std::vector<KeptJob> jobs;
  for (const MadeUp& job : {failed, later, next_week}) jobs.push_back(kept(job));
  const auto found = replayed(scarce, std::move(jobs));
  EXPECT_FALSE(found[0].stop);
  EXPECT_TRUE(found[1].stop);
  EXPECT_FALSE(found[2].stop);
}

TEST(Replay, ABillThatIsNonsenseIsNobodysMoney) {
  MadeUp job;
  job.ends = -4 * kHour;  // it ended before it began
  job.tags = "{}";
  const JobFinding found = one(kTeam, job);
  EXPECT_FALSE(found.usd);
  EXPECT_FALSE(found.paid_hours);
}

TEST(Replay, WithoutAPolicyOnlyWhatWasIsTold) {
  ReplayTerms terms;
  terms.until = at(30 * 24 * kHour);
  terms.prices = {{"ml.g5.12xlarge", Price(10)}};
  Replay replay(nullptr, std::move(terms));
  MadeUp spot;
  spot.more = R"(, "EnableManagedSpotTraining": true)";
  spot.tags = R"({"team": "vision", "owner": "ana", "trainwarden:action": "stop", "aws:x": "y"})";
  replay.add(kept(spot));
  const auto found = replay.finish();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].team, "vision");
  EXPECT_EQ(found[0].owner, "ana");
  EXPECT_EQ(found[0].did, "stop");
  EXPECT_EQ(found[0].tags.size(), 2U);
  EXPECT_EQ(found[0].machines, "1 x ml.g5.12xlarge");
  EXPECT_NEAR(found[0].spot_saving.value(), 0, 1e-9);
  EXPECT_FALSE(found[0].stop);
}

}  // namespace
}  // namespace trainwarden::rules::replay_test
