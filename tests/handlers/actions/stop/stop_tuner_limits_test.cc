// Stops of tuners that are denied, that a brake holds back, or that several rules ask for.
#include "tests/handlers/actions/stop/stop_tuner_fixture.h"

namespace trainwarden::actions::stop_tuner_limits_test {
namespace {

using stop_tuner_fixture::kWholeTuner;
using stop_tuner_fixture::StopTuner;

// Of two rules the first stops it and tells nobody.
TEST_F(StopTuner, P4_TheRuleThatTellsIsHeardThoughAnotherOneStops) {
  const std::string mute =
      R"({"name": "mute", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
          "actions": [{"stop": {"tuning_job": true}}]})";
  const std::string alone =
      R"({"name": "alone", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
          "actions": ["stop", "notify"]})";
  int tuner = 0;
  for (const std::string& rules :
       {mute + "," + kWholeTuner, kWholeTuner + ("," + mute), mute + "," + alone}) {
    const std::string name = fmt::format("tuner-{}", ++tuner);
    place_tuner(name);
    for (const char* child : {"a", "b"}) place_child(name + child, {}, name);
    const auto first = event(name + "a");
    const auto second = event(name + "b");
    handle_as(name + "1", first, rules);
    handle_as(name + "2", second, rules);
    EXPECT_EQ(tuner_status(name), "Stopping");
    EXPECT_EQ(aws_.notices().size(), static_cast<std::size_t>(tuner)) << rules;
    EXPECT_TRUE(told("stopped the tuning job " + name));
  }
}

TEST_F(StopTuner, A1_WhatIsDeniedIsReportedAndTheChildRunsOn) {
  place_tuner();
  for (const char* child : {"c-1", "c-2"}) place_child(child);
  aws_.refuse("StopHyperParameterTuningJob", kDenied);
  const Record record = handle(policy(kWholeTuner), event("c-1"));
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_EQ(aws_.status("c-1"), "InProgress");
  EXPECT_EQ(attribute("outcome"), "failed");
  // Nor is it tried again today, for whichever of its jobs.
  const Record other = handle_as("request-2", event("c-2"));
  EXPECT_TRUE(because(other, Why::kTunerStopDenied));
  EXPECT_EQ(tuner_stops(), 1);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(StopTuner, A1_AListThatIsDeniedIsReportedToo) {
  place_tuner();
  place_child("c-1");
  aws_.refuse("ListHyperParameterTuningJobs", kDenied);
  const Record record = handle(policy(kWholeTuner), event("c-1"));
  EXPECT_EQ(record.failure()->code, ErrorCode::kAccessDenied);
  EXPECT_EQ(aws_.status("c-1"), "InProgress");
  EXPECT_EQ(attribute("outcome"), "failed");
}

TEST_F(StopTuner, P7_TheBrakeHoldsTheTunerBack) {
  place_tuner();
  place_child("c-1");
  const Record record =
      handle(policy(kWholeTuner, "enforce", R"("limits":{"stops_per_hour":0},)"), event("c-1"));
  EXPECT_EQ(kind(record), Kind::kHeldBack);
  EXPECT_EQ(tuner_status(), "InProgress");
}

// Rules that stop the job alone get what they ask for by the other.
TEST_F(StopTuner, P4_TheStopOfTheTunerIsThatOfEveryRule) {
  place_tuner();
  place_child("c-1");
  const Record record = handle(policy(std::string(kTeam) + "," + kWholeTuner), event("c-1"));
  EXPECT_EQ(kind(record, 0), Kind::kTunerStoppedBefore);
  EXPECT_EQ(kind(record, 1), Kind::kTunerStopped);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

// And are carried out themselves where it cannot be stopped.
TEST_F(StopTuner, P4_ARuleThatStopsTheJobAloneDoesSoWhereTheTunerCannotBeStopped) {
  place_tuner();
  place_child("c-1");
  aws_.refuse("StopHyperParameterTuningJob", kDenied);
  const Record record = handle(policy(std::string(kWholeTuner) + "," + kTeam), event("c-1"));
  EXPECT_EQ(kind(record, 1), Kind::kStopped);
  EXPECT_EQ(aws_.status("c-1"), "Stopping");
}

TEST_F(StopTuner, P7_ASweepCountsATunerOnce) {
  place_tuner();
  for (int i = 0; i < 8; ++i) place_child(fmt::format("c-{}", i));
  place("alone");
  const SweepReport report = run(limited(kWholeTuner, 2));
  EXPECT_EQ(report.held_back, 0U);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_EQ(tuner_stops(), 1);
  EXPECT_EQ(aws_.status("alone"), "Stopping");
  EXPECT_EQ(aws_.notices().size(), 2U);
}

// Without the option each child counts, and three are too many.
TEST_F(StopTuner, P7_ASweepCountsEachChildWhoseStopIsItsOwn) {
  place_tuner();
  for (int i = 0; i < 3; ++i) place_child(fmt::format("c-{}", i));
  EXPECT_EQ(run(limited(kTeam, 2)).held_back, 3U);
}

}  // namespace
}  // namespace trainwarden::actions::stop_tuner_limits_test
