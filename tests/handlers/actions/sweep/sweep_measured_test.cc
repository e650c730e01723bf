// What a measurement confirmed is none of what limits.stops_per_sweep guards against, and the
// costliest jobs go first (P7).
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_measured_test {
namespace {

constexpr const char* kStopIdle = R"(
  {"name": "stop-idle", "match": {"alarm": {"watch": ["gpu-idle", "heartbeat"], "state": ["ALARM"]}},
   "actions": ["stop", "notify"]})";

class SweepMeasured : public SweepTest {
 protected:
  static rules::Policy watching(const std::string& rules, const std::string& limits,
                                const std::string& more = "") {
    return policy(rules, "enforce", more + R"("watches": {
        "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
                     "periods": 3, "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
        "heartbeat": {"metric": "GPUUtilization", "statistic": "SampleCount",
                      "period_seconds": 300, "periods": 3, "below": 1, "missing": "breaching"}},
        "limits": {)" + limits + "},");
  }
  // It trains for an hour, its GPUs do nothing, and its alarm's message was lost.
  void place_idle(const testing::PlacedJob& job, double use = 0) {
    aws_.place(job);
    for (int host = 1; host <= job.count; ++host)
      for (const seconds before : {seconds(900), seconds(600), seconds(300)})
        measure(job.name, host, before, use);
    put_alarm(job.name + "/gpu-idle", "ALARM");
  }
  void measure(const std::string& job, int host, seconds before, double use) {
    const auto minute = std::chrono::floor<minutes>(clock_.now());
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"GPUUtilization",)"
            R"("Dimensions":[{{"Name":"Host","Value":"{}/algo-{}"}}],"Timestamp":{},"Value":{}}}]}})",
            job, host, (minute - before).time_since_epoch().count(), use)));
  }
  void place_idle(const std::string& job, const Tags& tags = kOrderly) {
    place_idle({.name = job, .tags = tags});
  }
  // In the order in which they were asked to stop.
  Names stopped() const {
    Names out;
    for (const testing::EventTold& event : aws_.events)
      if (event.status == "Stopping") out.push_back(event.job);
    return out;
  }
};

TEST_F(SweepMeasured, P7_MoreIdleJobsThanStopsPerSweepAreAllStopped) {
  for (int i = 0; i < 7; ++i) place_idle(fmt::format("idle-{}", i));
  const SweepReport report = run(watching(kStopIdle, R"("stops_per_sweep": 5)"));
  EXPECT_EQ(stopping(), 7);
  EXPECT_EQ(report.would_act, 7U);
  EXPECT_EQ(report.measured, 7U);
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_FALSE(report.failure());
}

TEST_F(SweepMeasured, P7_TheHoursBrakeHoldsTheRestAndTheNextSweepTriesThemAgain) {
  for (int i = 0; i < 7; ++i) place_idle(fmt::format("idle-{}", i));
  const rules::Policy four = watching(kStopIdle, R"("stops_per_sweep": 2, "stops_per_hour": 4)");
  EXPECT_FALSE(run(four).failure());
  EXPECT_EQ(stopping(), 4);
  EXPECT_FALSE(run(four).failure());
  EXPECT_EQ(stopping(), 4);
  aws_.pass(minutes(61));
  for (int i = 0; i < 7; ++i)
    for (const seconds before : {seconds(900), seconds(600), seconds(300)})
      measure(fmt::format("idle-{}", i), 1, before, 0);
  run(four);
  EXPECT_EQ(stopping(), 7);
}

// An alarm that nothing bears out any more is no measurement.
TEST_F(SweepMeasured, P7_AJobThatIsBusyByNowIsNotAmongThem) {
  for (int i = 0; i < 3; ++i) place_idle(fmt::format("idle-{}", i));
  place_idle({.name = "busy", .tags = kOrderly}, 90);
  const SweepReport report = run(watching(kStopIdle, R"("stops_per_sweep": 1)"));
  EXPECT_EQ(stopping(), 3);
  EXPECT_EQ(report.measured, 3U);
  EXPECT_EQ(aws_.status("busy"), "InProgress");
}

TEST_F(SweepMeasured, P7_WhatRestsOnDescriptionsIsHeldTogetherWhileIdleJobsAreStopped) {
  for (int i = 0; i < 4; ++i) place_idle(fmt::format("idle-{}", i));
  for (int i = 0; i < 3; ++i) place(fmt::format("untagged-{}", i));
  const SweepReport report =
      run(watching(std::string(kTeam) + "," + kStopIdle, R"("stops_per_sweep": 2)"));
  EXPECT_EQ(stopped(), (Names{"idle-0", "idle-1", "idle-2", "idle-3"}));
  EXPECT_EQ(report.would_act, 7U);
  EXPECT_EQ(report.held_back, 3U);
  EXPECT_EQ(report.examples, (Names{"untagged-0", "untagged-1", "untagged-2"}));
  ASSERT_TRUE(report.failure());
  EXPECT_NE(report.failure()->message.find("3 jobs would be stopped"), std::string::npos);
}

// Idle and untagged: the measurement stops it, and it is none of those that its tags would.
TEST_F(SweepMeasured, P7_AJobThatAMeasurementStopsDoesNotCountByItsDescription) {
  for (int i = 0; i < 4; ++i) place_idle(fmt::format("idle-{}", i), {});
  for (int i = 0; i < 2; ++i) place(fmt::format("untagged-{}", i));
  const SweepReport report =
      run(watching(std::string(kTeam) + "," + kStopIdle, R"("stops_per_sweep": 2)"));
  EXPECT_EQ(stopping(), 6);
  EXPECT_EQ(report.would_act, 6U);
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_FALSE(report.failure());
}

// A rule's alternative that asks for the alarm counts, though another one holds as well.
TEST_F(SweepMeasured, P7_AnAlternativeThatWasMeasuredIsNotHeldBackForTheOther) {
  constexpr const char* kEither = R"(
    {"name": "known", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"a": ["b"]}},
     "actions": ["notify"]},
    {"name": "either", "match": [
       {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}},
       {"alarm": {"watch": ["gpu-idle", "heartbeat"], "state": ["ALARM"]}}], "actions": ["stop"]})";
  for (int i = 0; i < 3; ++i) place_idle(fmt::format("idle-{}", i), {});
  for (int i = 0; i < 3; ++i) place(fmt::format("untagged-{}", i));
  const SweepReport report = run(watching(kEither, R"("stops_per_sweep": 2)"));
  EXPECT_EQ(stopped(), (Names{"idle-0", "idle-1", "idle-2"}));
  EXPECT_EQ(report.held_back, 3U);
}

// What the brake of silence holds back is not let through because of what describes the job.
TEST_F(SweepMeasured, P7_ASilenceThatIsHeldBackDoesNotOpenTheLimit) {
  for (int i = 0; i < 4; ++i) {
    aws_.place({.name = fmt::format("silent-{}", i), .since = hours(2)});
    put_alarm(fmt::format("silent-{}/heartbeat", i), "ALARM");
    measure(fmt::format("silent-{}", i), 1, minutes(90), 50);
  }
  const SweepReport report =
      run(watching(std::string(kTeam) + "," + kStopIdle, R"("stops_per_sweep": 2)"));
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(report.held_back, 4U);
}

// A rule that holds without the alarm, too, rests on descriptions.
TEST_F(SweepMeasured, P7_ARuleThatDoesNotAskForTheAlarmIsNotMeasured) {
  for (int i = 0; i < 3; ++i) place_idle(fmt::format("idle-{}", i));
  const SweepReport report = run(watching(
      R"({"name": "any", "match": {"event": {"trigger": ["sweep"]}}, "actions": ["stop"]},
         {"name": "none", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                    "alarm": {"watch": [{"exists": false}]}}, "actions": ["stop"]})",
      R"("stops_per_sweep": 2)"));
  EXPECT_EQ(stopping(), 0);
  EXPECT_EQ(report.measured, 0U);
  EXPECT_EQ(report.held_back, 3U);
}

TEST_F(SweepMeasured, P7_OperatorsHearOnceAnHourOfWhatASweepHeldBack) {
  for (const char* job : {"a", "b", "c"}) place(job);
  const rules::Policy two = limited(kTeam, 2);
  run(two);
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(subject(), "Trainwarden holds back: limits.stops_per_sweep is reached");
  EXPECT_TRUE(told("would stop 3 jobs"));
  EXPECT_TRUE(told("Among them: a, b, c."));
  EXPECT_EQ(attribute("limit"), "stops_per_sweep");
  request_ = "request-2";
  aws_.pass(minutes(15));
  run(two);
  EXPECT_EQ(aws_.notices().size(), 1U);
  aws_.pass(minutes(46));
  run(two);
  EXPECT_EQ(aws_.notices().size(), 2U);
}

// A notice that could not be sent is sent by the next sweep.
TEST_F(SweepMeasured, P7_WhatOperatorsDidNotHearIsToldLater) {
  for (const char* job : {"a", "b", "c"}) place(job);
  aws_.refuse("Publish", kDenied);
  run(limited(kTeam, 2));
  EXPECT_TRUE(aws_.notices().empty());
  request_ = "request-2";
  aws_.pass(minutes(15));
  run(limited(kTeam, 2));
  EXPECT_EQ(aws_.notices().size(), 1U);
}

using SweepDearest = SweepMeasured;

TEST_F(SweepDearest, P7_TheDearestByPriceGoFirst) {
  place_idle({.name = "a-cheap", .type = "ml.g5.12xlarge", .tags = kOrderly});
  place_idle({.name = "b-dear", .type = "ml.p5.48xlarge", .tags = kOrderly});
  place_idle({.name = "c-costliest", .type = "ml.g5.xlarge", .tags = kOrderly});
  run(watching(kStopIdle, R"("stops_per_hour": 2)",
               R"("prices": {"ml.g5.12xlarge": 7, "ml.p5.48xlarge": 60, "ml.g5.xlarge": 100},)"));
  EXPECT_EQ(stopped(), (Names{"c-costliest", "b-dear"}));
}

TEST_F(SweepDearest, P7_WithoutPricesTheLargestGoFirst) {
  place_idle({.name = "a", .type = "ml.g5.xlarge", .tags = kOrderly});
  place_idle({.name = "b", .type = "ml.p4d.24xlarge", .tags = kOrderly});
  place_idle({.name = "c", .type = "ml.p4d.24xlarge", .count = 2, .tags = kOrderly});
  run(watching(kStopIdle, R"("stops_per_hour": 2)"));
  EXPECT_EQ(stopped(), (Names{"c", "b"}));
}

TEST_F(SweepDearest, P7_TheDearestGoFirstWhateverTheyRestOn) {
  place_idle({.name = "idle", .type = "ml.g5.xlarge", .tags = kOrderly});
  aws_.place({.name = "untagged", .type = "ml.p5.48xlarge"});
  run(watching(std::string(kTeam) + "," + kStopIdle, R"("stops_per_hour": 1)"));
  EXPECT_EQ(stopped(), Names{"untagged"});
}

}  // namespace
}  // namespace trainwarden::actions::sweep_measured_test
