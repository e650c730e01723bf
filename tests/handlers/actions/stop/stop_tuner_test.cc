// The action stop with `tuning_job` (A1): what launched the job is stopped, once, with one slot of
// the brake (P7) and one notice (A5), whatever its children's events do and whoever dies meanwhile.
#include "tests/handlers/actions/stop/stop_tuner_fixture.h"

namespace trainwarden::actions::stop_tuner_test {
namespace {

using localaws::TunerType;
using stop_tuner_fixture::kArn;
using stop_tuner_fixture::kWholeTuner;
using stop_tuner_fixture::StopTuner;

TEST_F(StopTuner, A1_TheTuningJobIsStoppedAndTheNoticeCountsWhatItEnds) {
  place_tuner();
  for (const char* child : {"c-1", "c-2", "c-3"}) place_child(child);
  place_child("healthy", kOrderly);
  const Record record = handle(policy(kWholeTuner), event("c-1"));
  EXPECT_EQ(kind(record), Kind::kTunerStopped);
  EXPECT_EQ(kind(record, 0, 1), Kind::kNotified);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(tuner_status(), "Stopping");
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  EXPECT_EQ(aws_.status("healthy"), "Stopping");
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(told("stopped the tuning job Xgb-Tune-1 and the 4 training jobs that it runs"));
  EXPECT_TRUE(told("training job c-1"));
  EXPECT_TRUE(told("WarmStartConfig"));
  EXPECT_EQ(attribute("outcome"), "stopped");
  EXPECT_EQ(aws_.tag("c-1", "trainwarden:rule"), "whole-tuner");
  EXPECT_NE(json::to_text(record.to_json().root())
                .find(R"("tuning_job":{"name":"Xgb-Tune-1","running":4})"),
            std::string::npos);
}

TEST_F(StopTuner, A1_AJobThatNothingLaunchedIsStoppedItself) {
  place("alone");
  EXPECT_EQ(kind(handle(policy(kWholeTuner), event("alone"))), Kind::kStopped);
  EXPECT_EQ(aws_.count("ListHyperParameterTuningJobs"), 0);
}

TEST_F(StopTuner, A1_WithoutTheOptionTheChildAloneIsStopped) {
  place_tuner();
  place_child("c-1");
  EXPECT_EQ(kind(handle(policy(kTeam), event("c-1"))), Kind::kStopped);
  EXPECT_EQ(tuner_status(), "InProgress");
  EXPECT_EQ(aws_.count("ListHyperParameterTuningJobs"), 0);
}

TEST_F(StopTuner, P3_WeakerModesAskNothingOfTheTuningJob) {
  place_tuner();
  place_child("c-1");
  for (const char* mode : {"observe", "notify"})
    EXPECT_FALSE(handle(policy(kWholeTuner, mode), event("c-1")).failure());
  EXPECT_EQ(tuner_stops() + aws_.count("ListHyperParameterTuningJobs"), 0);
  EXPECT_TRUE(told("the tuning or AutoML job that launched it would be stopped"));
}

// All their events were under way when the first was handled.
TEST_F(StopTuner, A1_P7_FiftyChildrensEventsAreOneStopOneSlotAndOneNotice) {
  place_tuner();
  std::vector<rules::JobEvent> events;
  for (int i = 0; i < 50; ++i) {
    place_child(fmt::format("c-{}", i));
    events.push_back(event(fmt::format("c-{}", i)));
  }
  const rules::Policy one = policy(kWholeTuner, "enforce", R"("limits":{"stops_per_hour":1},)");
  int counted = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    request_ = fmt::format("request-{}", i);
    const Record record = handle(one, events[i]);
    EXPECT_FALSE(record.failure());
    if (kind(record) == Kind::kTunerStopped) ++counted;
    EXPECT_NE(kind(record), Kind::kHeldBack);
  }
  EXPECT_EQ(counted, 1);
  EXPECT_EQ(tuner_stops(), 1);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

// Somebody else's child is handled just before each call of the first one's.
TEST_F(StopTuner, A1_TwoChildrenAtOnceAreCountedAndToldOnce) {
  for (int at = 0; at < 24; ++at) {
    aws_.meanwhile = nullptr;
    const std::string tuner = fmt::format("Tune-{:02}", at);
    place_tuner(tuner);
    const std::string lower = fmt::format("tune-{:02}", at);
    for (const char* child : {"a", "b"}) place_child(child + std::to_string(at), {}, lower);
    const rules::JobEvent other = event("b" + std::to_string(at));
    const std::size_t told_before = aws_.notices().size();
    int counted = 0;
    int calls = 0;
    const auto count = [&](const Record& record) {
      EXPECT_FALSE(record.failure()) << at;
      if (kind(record) == Kind::kTunerStopped) ++counted;
    };
    aws_.meanwhile = [&](int) {
      if (calls++ == at) count(handle_as(fmt::format("other-{}", at), other));
    };
    count(handle_as(fmt::format("this-{}", at), event("a" + std::to_string(at))));
    aws_.meanwhile = nullptr;
    EXPECT_EQ(counted, 1) << at;
    EXPECT_EQ(aws_.notices().size() - told_before, 1U) << at;
    EXPECT_EQ(tuner_status(tuner), "Stopping") << at;
    aws_.pass(hours(2));  // the brake's slots are free again
  }
}

// Lambda delivers the event again, under the same id.
TEST_F(StopTuner, A1_WhoeverDiesBetweenTwoCallsIsMadeUpFor) {
  for (int at = 0; at < 24; ++at)
    for (const bool after : {false, true}) {
      const std::string name = fmt::format("die-{:02}-{}", at, after ? "b" : "a");
      place_tuner(name);
      place_child("c-" + name, {}, name);
      const rules::JobEvent told = event("c-" + name);
      const std::size_t before = aws_.notices().size();
      aws_.death = {static_cast<int>(aws_.calls.size()) + at, after};
      request_ = name;
      try {
        handle(policy(kWholeTuner), told);
      } catch (const testing::Killed&) {
      }
      aws_.death = {};
      handle(policy(kWholeTuner), told);
      aws_.pass(minutes(3));
      request_ = name + "-sweep";
      run(kWholeTuner);
      EXPECT_NE(tuner_status(name), "InProgress") << name;
      const std::size_t heard = aws_.notices().size() - before;
      EXPECT_GE(heard, 1U) << name;
      EXPECT_LE(heard, 2U) << name;  // twice: it died between telling and noting it
      aws_.pass(hours(2));
    }
}

TEST_F(StopTuner, A5_WhatNobodyToldIsToldByASweep) {
  place_tuner();
  place_child("c-1");
  aws_.refuse("Publish", testing::kFault);
  EXPECT_TRUE(handle(policy(kWholeTuner), event("c-1")).failure());
  EXPECT_TRUE(aws_.notices().empty());
  request_ = "request-2";
  aws_.pass(minutes(3));
  run(kWholeTuner);
  ASSERT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(told("stopped the tuning job Xgb-Tune-1"));
  run(kWholeTuner);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(StopTuner, A1_AStopWhoseAnswerWasLostIsOurs) {
  place_tuner();
  place_child("c-1");
  const rules::JobEvent told_of = event("c-1");
  aws_.lose_answer("StopHyperParameterTuningJob");
  EXPECT_TRUE(handle(policy(kWholeTuner), told_of).failure());
  EXPECT_EQ(tuner_status(), "Stopping");
  handle(policy(kWholeTuner), told_of);  // the child is stopping by now
  aws_.pass(minutes(3));
  request_ = "request-2";
  run(kWholeTuner);
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(tuner_stops(), 1);
}

// Whoever filters notices by the team hears of it too, whatever the rule asks for.
TEST_F(StopTuner, A5_TheNoticeHasTheTeamOfTheJob) {
  constexpr const char* kByType = R"(
    {"name": "by-type", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
     "actions": [{"stop": {"tuning_job": true}}, "notify"]})";
  place_tuner();
  place_child("c-1", kOrderly);
  EXPECT_EQ(kind(handle(policy(kByType), event("c-1"))), Kind::kTunerStopped);
  EXPECT_EQ(attribute("team"), "vision");
  EXPECT_EQ(aws_.count("ListTags"), 1);
  // Tags that cannot be read keep nothing running.
  place_tuner("Other");
  place_child("c-2", kOrderly, "other");
  aws_.refuse("ListTags", kDenied);
  EXPECT_EQ(kind(handle(policy(kByType), event("c-2"))), Kind::kTunerStopped);
  EXPECT_EQ(attribute("team"), "");
  EXPECT_EQ(aws_.notices().size(), 2U);
}

// AWS took the stop, and yet it runs: once Describe cannot be behind any more, it is asked again.
TEST_F(StopTuner, A1_ATunerThatRunsOnIsStoppedAgain) {
  const auto begun = clock_.now();
  const auto place_running = [&] {
    ASSERT_TRUE(aws_.sagemaker().place_tuner(TunerType::kTuningJob, "Xgb-Tune-1",
                                             R"({"HyperParameterTuningJobStatus":"InProgress"})",
                                             begun - hours(1)));
    place_child("c-1");
  };
  place_running();
  EXPECT_EQ(kind(handle_as("request-1", event("c-1"))), Kind::kTunerStopped);
  place_running();
  EXPECT_EQ(kind(handle_as("request-2", event("c-1"))), Kind::kTunerStoppedBefore);
  EXPECT_EQ(tuner_stops(), 1);
  aws_.pass(minutes(6));
  place_running();
  EXPECT_EQ(kind(handle_as("request-3", event("c-1"))), Kind::kTunerStoppedBefore);
  EXPECT_EQ(tuner_stops(), 2);
  EXPECT_EQ(tuner_status(), "Stopping");
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(StopTuner, A1_NoneOrTwoOfThatArnAreUnavailable) {
  place_child("c-1");
  const Record none = handle(policy(kWholeTuner), event("c-1"));
  ASSERT_TRUE(none.failure());
  EXPECT_EQ(none.failure()->code, ErrorCode::kUnavailable);
  place_tuner("Xgb-Tune-1");
  place_tuner("xgb-tune-1");
  const Record two = handle(policy(kWholeTuner), event("c-1"));
  ASSERT_TRUE(two.failure());
  EXPECT_EQ(two.failure()->code, ErrorCode::kUnavailable);
  EXPECT_EQ(aws_.status("c-1"), "InProgress");
  EXPECT_EQ(tuner_stops(), 0);
  EXPECT_TRUE(aws_.notices().empty());
}

// Others whose names hold it, and another of that name in another account's ARN, are none.
TEST_F(StopTuner, A1_ANameIsNotEnough) {
  place_tuner("Xgb-Tune-1", "InProgress", TunerType::kTuningJob,
              "arn:aws:sagemaker:eu-central-1:999999999999:hyper-parameter-tuning-job/xgb-tune-1");
  place_tuner("Xgb-Tune-10");
  place_child("c-1");
  EXPECT_EQ(handle(policy(kWholeTuner), event("c-1")).failure()->code, ErrorCode::kUnavailable);
  EXPECT_EQ(tuner_stops(), 0);
}

TEST_F(StopTuner, A1_TheAutoMlJobBeforeTheTuningJobThatItLaunched) {
  place_tuner();
  place_tuner("My-AutoML", "InProgress", TunerType::kAutoMlJob);
  place_child("c-1", {}, "xgb-tune-1",
              fmt::format(R"(,"AutoMLJobArn":"{}automl-job/my-automl")", kArn));
  EXPECT_EQ(kind(handle(policy(kWholeTuner), event("c-1"))), Kind::kTunerStopped);
  EXPECT_EQ(tuner_status("My-AutoML", TunerType::kAutoMlJob), "Stopping");
  EXPECT_EQ(tuner_stops(), 0);
  EXPECT_EQ(aws_.count("StopAutoMLJob"), 1);
  EXPECT_TRUE(told("stopped the AutoML job My-AutoML and every training job that it runs"));
}

TEST_F(StopTuner, A1_OfATunerThatHasEndedTheJobIsOneLikeAnyOther) {
  for (const char* status : {"Completed", "Failed", "Stopped"}) {
    place_tuner("Xgb-Tune-1", status);
    const std::string child = std::string("c-") + static_cast<char>(status[0] - 'A' + 'a');
    place_child(child);
    EXPECT_EQ(kind(handle(policy(kWholeTuner), event(child))), Kind::kStopped) << status;
    EXPECT_EQ(aws_.status(child), "Stopping");
  }
  EXPECT_EQ(tuner_stops(), 0);
}

TEST_F(StopTuner, A1_ATunerThatSomebodyElseStopsEndsItsJobsAnyway) {
  place_tuner("Xgb-Tune-1", "Stopping");
  place_child("c-1");
  const Record record = handle(policy(kWholeTuner), event("c-1"));
  EXPECT_TRUE(because(record, Why::kTunerStopping));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(tuner_stops() + aws_.count("StopTrainingJob"), 0);
  EXPECT_TRUE(aws_.notices().empty());
}

}  // namespace
}  // namespace trainwarden::actions::stop_tuner_test
