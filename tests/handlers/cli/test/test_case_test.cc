// `trainwarden test`: what a case is (T1).
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/cli/test/policy_cases.h"

namespace trainwarden::cli::test_case_test {
namespace {

using namespace policy_cases;

TEST(TestT1, ACaseThatComesToWhatIsExpectedPasses) {
  const Printed printed =
      run_expect(R"({"rules": ["required-tags"], "actions": ["stop", "notify"]})");
  EXPECT_EQ(printed.status, 0) << printed.output;
  EXPECT_SAYS(printed, "c.jsonl: 1 of 1 cases pass");
}

TEST(TestT1, TheJobIsEnoughOrAnEvent) {
  EXPECT_EQ(run_one(R"("name": "a", "event": {"detail-type": "SageMaker Training Job State Change",
      "account": "111122223333", "region": "eu-central-1",
      "detail": {"TrainingJobName": "j", "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed"}},
      "expect": {"verdicts": {"required-tags": "false", "stop-idle": "false"}})")
                .status,
            0);
  const Printed none = run_one(R"("name": "a", "tags": {}, "expect": {"rules": []})");
  EXPECT_EQ(none.status, 2);
  EXPECT_SAYS(none, "expected `job`, `event` or `export`, found none");
}

TEST(TestT1, AnEventOfAnotherJobIsAMistake) {
  const Printed printed =
      run_one(std::string(R"("name": "a", "event": {"detail": {"TrainingJobName": "other",
          "TrainingJobStatus": "InProgress"}}, "expect": {"rules": []}, )") +
              std::string(kStarting));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "event: expected one of the job `j`, found one of `other`");
}

TEST(TestT1, ASweepIsAnEvent) {
  constexpr std::string_view kSwept = R"({"version": 1, "rules": [{"name": "swept",
      "match": {"event": {"trigger": ["sweep"]}}, "actions": ["notify"]}]})";
  const std::string swept =
      std::string(kStarting) + R"(, "event": "sweep", "name": "a", "expect": )";
  EXPECT_EQ(run_one(swept + R"({"rules": ["swept"]})", kSwept).status, 0);
  EXPECT_EQ(
      run_one(std::string(kStarting) + R"(, "name": "a", "expect": {"rules": []})", kSwept).status,
      0);
  const Printed other = run_one(
      std::string(kStarting) + R"(, "event": "swept", "name": "a", "expect": {"rules": []})",
      kSwept);
  EXPECT_EQ(other.status, 2);
}

constexpr std::string_view kTraining =
    R"("name": "a", "tags": {"team": "vision"}, "job": {"TrainingJobName": "j", "TrainingJobStatus": "InProgress",
       "SecondaryStatus": "Training", "CreationTime": "2026-11-20T08:00:00Z",
       "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2},
       "SecondaryStatusTransitions": [
         {"Status": "Starting", "StartTime": "2026-11-20T08:00:00Z", "EndTime": "2026-11-20T08:10:00Z"},
         {"Status": "Training", "StartTime": "2026-11-20T08:10:00Z"}]}, )";

TEST(TestT1, AnAlarmIsTakenAsConfirmed) {
  const std::string members =
      std::string(kTraining) +
      R"("now": "2026-11-20T10:00:00Z", "alarm": {"watch": "gpu-idle", "state": "ALARM"}, "expect": )";
  const Printed printed = run_one(members + R"({"rules": ["watch-gpus", "stop-idle"]})");
  EXPECT_EQ(printed.status, 0) << printed.output;
  EXPECT_EQ(run_one(members + R"({"rules": ["watch-gpus"]})").status, 1);
}

// W4: nothing is done before the watch's warm-up is over.
TEST(TestT1, AnAlarmThatCannotBeConfirmedAsksForNothing) {
  const std::string members =
      std::string(kTraining) +
      R"("now": "2026-11-20T08:20:00Z", "alarm": {"watch": "gpu-idle"}, "expect": )";
  EXPECT_EQ(run_one(members + R"({"rules": [], "actions": []})").status, 0);
  const Printed wrong = run_one(members + R"({"rules": ["watch-gpus", "stop-idle"]})");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_SAYS(wrong, "nothing would be done: the alarm is not confirmed: ");
}

// W6: nor in a job's first six hours, of a watch that compares with them.
TEST(TestT1, AnAlarmThatComparesWithThePastAsksForNothingInTheFirstSixHours) {
  constexpr std::string_view kComparing = R"({"version": 1, "mode": "enforce",
      "watches": {"slower": {"metric": "speed", "source": "algorithm", "statistic": "p50",
                             "period_seconds": 300, "periods": 3, "drop_to": 0.5}},
      "rules": [{"name": "watch", "match": {"job": {"SecondaryStatus": ["Training"]}},
                 "actions": [{"watch": ["slower"]}]},
                {"name": "stop-slow", "match": {"alarm": {"watch": ["slower"], "state": ["ALARM"]}},
                 "actions": ["stop"]}]})";
  const auto run_at = [&](std::string_view now, std::string_view expected) {
    return run_one(fmt::format(R"({}"now": "2026-11-20T{}:00Z", "alarm": {{"watch": "slower"}},
                                  "expect": {{"rules": [{}]}})",
                               kTraining, now, expected),
                   kComparing);
  };
  EXPECT_EQ(run_at("14:19", "").status, 0) << "training since 08:10";
  const Printed early = run_at("14:19", R"("watch", "stop-slow")");
  EXPECT_EQ(early.status, 1);
  EXPECT_SAYS(early, "first six hours is not known before 2026-11-20T14:20:00Z");
  EXPECT_EQ(run_at("14:20", R"("watch", "stop-slow")").status, 0);
}

TEST(TestT1, AnAlarmOfAnotherStateAsksForNothing) {
  const Printed printed = run_one(
      std::string(kTraining) +
      R"("now": "2026-11-20T10:00:00Z", "alarm": {"watch": "gpu-idle", "state": "OK"}, "expect": {"rules": []})");
  EXPECT_EQ(printed.status, 0) << printed.output;
}

// W4: of a job that nobody hears, only people are told, by rules that name it.
TEST(TestT1, ABlindAlarmOnlyTells) {
  constexpr std::string_view kBlind =
      R"({"version": 1, "watches": {"no-metrics": {"metric": "CPUUtilization",
      "statistic": "SampleCount", "period_seconds": 60, "periods": 30, "below": 1, "missing": "breaching"}},
      "rules": [{"name": "tell-blind", "match": {"alarm": {"watch": ["no-metrics"], "state": ["BLIND"]}},
                 "actions": ["stop", "notify"]},
                {"name": "any", "match": {"alarm": {"watch": ["no-metrics"]}}, "actions": ["stop"]}]})";
  const Printed printed = run_one(
      std::string(kTraining) +
          R"("now": "2026-11-20T10:00:00Z", "alarm": {"watch": "no-metrics", "state": "BLIND"},
             "expect": {"rules": ["tell-blind"], "actions": ["notify"]})",
      kBlind);
  EXPECT_EQ(printed.status, 0) << printed.output;
}

TEST(TestT1, AnAlarmOfAnUnknownWatchIsAMistake) {
  const std::string members =
      std::string(kTraining) + R"("now": "2026-11-20T10:00:00Z", "expect": {"rules": []}, )";
  const Printed watch = run_one(members + R"("alarm": {"watch": "gpu-idel"})");
  EXPECT_EQ(watch.status, 2);
  EXPECT_SAYS(watch,
              "alarm.watch: expected `gpu-idle`, found `\"gpu-idel\"`; did you mean `gpu-idle`?");
  const Printed state = run_one(members + R"("alarm": {"watch": "gpu-idle", "state": "Alarm"})");
  EXPECT_EQ(state.status, 2);
  EXPECT_SAYS(state, "did you mean `ALARM`?");
}

TEST(TestT1, FactsThatFunctionsLookUp) {
  constexpr std::string_view kSilent = R"({"version": 1, "rules": [{"name": "silent",
      "match": {"logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}}, "actions": ["stop"]},
      {"name": "stale", "match": {"checkpoint": {"age_seconds": [{"numeric": [">=", 7200]}]}}, "actions": ["notify"]},
      {"name": "dear", "match": {"fleet": {"spot_timeouts_24h": [{"numeric": [">=", 3]}]}}, "actions": ["notify"]}]})";
  const std::string members = std::string(kTraining) + R"("now": "2026-11-20T12:00:00Z", )";
  const auto with = [&](std::string_view facts, std::string_view expect) {
    return run_one(
        members + "\"facts\": " + std::string(facts) + ", \"expect\": " + std::string(expect),
        kSilent);
  };
  constexpr std::string_view kFleet =
      R"("fleet": {"spot_timeouts_24h": 3, "spot_interruptions_24h": 0, "capacity_errors_24h": 0})";
  EXPECT_EQ(with("{\"logs\": {\"silent_seconds\": 3600}, " + std::string(kFleet) + "}",
                 R"({"rules": ["silent", "dear"]})")
                .status,
            0);
  EXPECT_EQ(with("{\"logs\": {\"silent_seconds\": 60}, " + std::string(kFleet) + "}",
                 R"({"rules": ["dear"]})")
                .status,
            0);
  for (const char* const wrong :
       {R"({"logs": {"silent": 3600}})", R"({"logs": {"silent_seconds": "3600"}})",
        R"({"fleets": {}})", R"({"fleet": {"spot_timeouts_24h": 3}})",
        R"({"checkpoint": {"exists": true}})", R"([])"}) {
    const Printed printed = with(wrong, R"({"rules": []})");
    EXPECT_EQ(printed.status, 2) << wrong << printed.output;
    EXPECT_SAYS(printed, "c.jsonl:1: error: facts");
  }
}

TEST(TestT1, TheEndOfALogTellsWhyAJobFailed) {
  constexpr std::string_view kFailed = R"({"version": 1, "rules": [{"name": "oom",
      "match": {"failure": {"label": ["oom_gpu"]}}, "actions": ["notify"]}]})";
  const std::string members =
      R"("name": "a", "job": {"TrainingJobStatus": "Failed", "SecondaryStatus": "Failed",
         "FailureReason": "AlgorithmError: , exit code: 1"}, )";
  EXPECT_EQ(run_one(members + R"("logs": ["torch.cuda.OutOfMemoryError: CUDA out of memory."],
      "expect": {"rules": ["oom"]})",
                    kFailed)
                .status,
            0);
  const Printed without = run_one(members + R"("expect": {"rules": []})", kFailed);
  EXPECT_EQ(without.status, 1);
  EXPECT_SAYS(without, "rule `oom`: not decided: the logs are not given");
  EXPECT_EQ(run_one(members + R"("logs": "text", "expect": {"rules": []})", kFailed).status, 2);
}

constexpr std::string_view kExported =
    R"("export": {"job": {"TrainingJobName": "j", "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
       "CreationTime": 1795161600, "TrainingStartTime": 1795162200, "TrainingEndTime": 1795593600,
       "SecondaryStatusTransitions": [
         {"Status": "Starting", "StartTime": 1795161600, "EndTime": 1795162200},
         {"Status": "Training", "StartTime": 1795162200, "EndTime": 1795593600},
         {"Status": "Completed", "StartTime": 1795593600}],
       "ResourceConfig": {"InstanceType": "ml.m5.large", "InstanceCount": 1}}, "tags": {"team": "vision"}})";

TEST(TestT1, ALineOfAnExportIsAJobAtAnyMoment) {
  const std::string members = R"("name": "a", )" + std::string(kExported);
  EXPECT_EQ(run_one(members + R"(, "expect": {"rules": []})").status, 0);
  const Printed late =
      run_one(members + R"(, "now": 1795506000, "expect": {"rules": ["too-long"]})");
  EXPECT_EQ(late.status, 0) << late.output;
  EXPECT_EQ(run_one(members + R"(, "now": 1795165200, "expect": {"rules": []})").status, 0);
}

TEST(TestT1, WhatAnExportCouldNotFetchIsNotDecided) {
  const Printed printed = run_one(
      R"("name": "a", "export": {"job": {"TrainingJobName": "j", "TrainingJobStatus": "InProgress",
         "SecondaryStatus": "Starting", "CreationTime": 1795161600}, "unavailable": {"tags": "access denied"}},
         "now": 1795161700, "expect": {"rules": []})");
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "rule `required-tags`: not decided: access denied");
}

TEST(TestT1, AnExportKeepsOnlyWhatItsPolicyNames) {
  constexpr std::string_view kNamed = R"({"version": 1, "rules": [{"name": "debug",
      "match": {"job": {"Environment": {"DEBUG": [{"exists": false}]}}}, "actions": ["notify"]}]})";
  const Printed printed =
      run_one(R"("name": "a", "expect": {"rules": []}, )" + std::string(kExported), kNamed);
  EXPECT_EQ(printed.status, 1);
  EXPECT_SAYS(printed, "rule `debug`: not decided: job.Environment.DEBUG is not given");
}

TEST(TestT1, AnExportHasTheJobAlone) {
  const Printed printed =
      run_one(R"("name": "a", "tags": {}, "expect": {"rules": []}, )" + std::string(kExported));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "tags: expected it in `export` alone");
  EXPECT_EQ(run_one(R"("name": "a", "export": {}, "expect": {"rules": []})").status, 2);
}

TEST(TestT1, AMomentBeforeTheJobIsAMistake) {
  const Printed printed =
      run_one(R"("name": "a", "now": "2026-11-01T00:00:00Z", "expect": {"rules": []}, "job": {
      "TrainingJobStatus": "InProgress", "SecondaryStatus": "Starting", "CreationTime": "2026-11-02T00:00:00Z"})");
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "now: expected a time after the job's creation");
}

TEST(TestT1, UnknownMembersOfACaseAreMistakes) {
  const Printed printed =
      run_one(R"("name": "a", "tag": {}, "expect": {"rules": []}, )" + std::string(kStarting));
  EXPECT_EQ(printed.status, 2);
  EXPECT_SAYS(printed, "did you mean `tags`?");
  for (const char* const wrong :
       {R"("tags": "team")", R"("tags": {"team": 3})", R"("now": "noon")", R"("why": 3)"})
    EXPECT_EQ(
        run_one(R"("name": "a", "expect": {"rules": []}, "job": {"TrainingJobStatus": "Completed",
        "SecondaryStatus": "Completed"}, )" +
                std::string(wrong))
            .status,
        2)
        << wrong;
}

}  // namespace
}  // namespace trainwarden::cli::test_case_test
