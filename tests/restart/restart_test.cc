// The action restart: a job that has ended is copied at once; one that runs is written down, then
// stopped, and copied at its end.
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::restart_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(Restart, A2_AFailedJobIsCopiedAtOnce) {
  History history(kResume);
  EXPECT_TRUE(resumed(history).starts_with("copied as train-7-r1-"));
  const auto copies = history.copies_of(kJob);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), copies[0]);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:root"), kJob);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:generation"), "1");
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("HyperParameters")), R"({"epochs":"3","resume":""})");
  EXPECT_EQ(json::to_text(*body->root().find("CheckpointConfig")),
            R"({"S3Uri":"s3://example-bucket/checkpoints/train-7"})");
}

TEST(Restart, A2_ARunningJobIsWrittenDownAndStopped) {
  History history(kThrash);
  // Written before it is stopped.
  history.aws().before("StopTrainingJob", [&] {
    const rules::JobItem item = history.item();
    ASSERT_TRUE(item.restart);
    EXPECT_FALSE(item.restart->accepted);
    EXPECT_EQ(item.restart->rule, "thrash");
  });
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
  EXPECT_TRUE(history.item().restart->accepted);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "restart");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:rule"), "thrash");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
  EXPECT_TRUE(history.aws().created().empty());

  history.aws().pass(seconds(90));
  const auto ended = history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(end_of(ended).starts_with("copied as train-7-r1-")) << end_of(ended);
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_EQ(json::to_text(*body->root().find("StoppingCondition")),
            R"({"MaxRuntimeInSeconds":172800})");
  EXPECT_EQ(json::to_text(*body->root().find("ResourceConfig")),
            R"({"InstanceType":"ml.p5.48xlarge","InstanceCount":2,"VolumeSizeInGB":100})");
}

TEST(Restart, A2_AJobThatFailedWhileItStoppedIsCopied) {
  History history(kThrash);
  ASSERT_EQ(thrashed(history), kStoppingToCopy);
  history.transition("Failed", "AlgorithmError: exit code: 143");
  EXPECT_TRUE(end_of(history.deliver("Failed", "Failed")).starts_with("copied as "));
}

TEST(Restart, A2_WhatItWasStoppedForComesBeforeWhatARuleAsksForNow) {
  History history(both(kThrash, kResume));
  ASSERT_EQ(thrashed(history), kStoppingToCopy);
  history.aws().pass(minutes(2));
  history.aws().refuse("CreateTrainingJob", kQuota, 2);  // of those machines, and of its own
  const auto record = history.deliver("Stopped", "Stopped");
  EXPECT_NE(end_of(record).find("ResourceLimitExceeded"), std::string::npos);
  EXPECT_TRUE(history.aws().created().empty());
  history.sweep_on(1);
  ASSERT_EQ(history.aws().create_requests.size(), 1U);
  EXPECT_NE(history.aws().create_requests[0].find("ml.p5.48xlarge"), std::string::npos);
}

TEST(Restart, A2_WhatWasBegunJustNowIsKept) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().before("StopTrainingJob", [] { throw Killed{}; });
  ASSERT_FALSE(history.deliver("InProgress", "Interrupted"));
  const sys_seconds begun = history.item().restart->at;
  history.aws().pass(minutes(2));
  history.repeat();
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")), kStoppingToCopy);
  EXPECT_EQ(history.item().restart->at, begun);
}

// The sweep meets another rule, whose stop beats a restart.
const std::string kStoppedBySweep =
    both(kThrash, R"({"name":"must-stop","match":{"event":{"trigger":["sweep"]},
                      "job":{"TrainingJobStatus":["InProgress"]}},"actions":["stop"]})");

TEST(Restart, P4_AStopThatCameWhileTheGuardsWereAskedBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  history.aws().before("Search", [&] { history.sweep(); });
  history.deliver("InProgress", "Interrupted");
  EXPECT_FALSE(history.item().restart);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "stop");
  history.aws().pass(seconds(120));
  history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(history.aws().created().empty());
}

// It is written down, and its StopTrainingJob is still to come.
TEST(Restart, P4_AStopThatIsUnderWayBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  history.aws().before("Search", [&] {
    history.aws().refuse("StopTrainingJob", kThrottled);
    history.sweep();
  });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "refused: a rule stops it, and a stop beats a restart");
  EXPECT_FALSE(history.item().restart);
}

TEST(Restart, P4_AStopBetweenARestartsTwoStepsBeatsIt) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  history.aws().before("AddTags", [&] { history.sweep(); });
  history.deliver("InProgress", "Interrupted");
  history.aws().pass(seconds(120));
  history.deliver("Stopped", "Stopped");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
  EXPECT_TRUE(history.item().stop->accepted);
  EXPECT_FALSE(history.is_due());
}

TEST(Restart, A2_TheEndOfAJobThatCompletedCostsNoCall) {
  History history(kNothing);
  history.place("Completed", "Completed");
  history.deliver("Completed", "Completed");
  EXPECT_TRUE(history.aws().calls.empty());
}

TEST(Restart, A2_ARestartWhoseStopIsDeniedIsOver) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().refuse("StopTrainingJob", kDenied);
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_EQ(history.item().closed->why, rules::Closed::kDenied);
  // Its owner stops it a minute later, and means it.
  history.aws().pass(minutes(1));
  history.stop_by_hand();
  history.aws().pass(minutes(1));
  EXPECT_EQ(end_of(history.deliver("Stopped", "Stopped")), "-");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_ARestartWhoseStopMayHaveComeThroughStands) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().lose_answer("StopTrainingJob", 9);
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_FALSE(history.item().closed);
  history.aws().pass(minutes(2));
  EXPECT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("copied as "));
}

TEST(Restart, A3_AJobFullOfTagsHasOneCopyThatIsNotMadeAgain) {
  History history(kThrash);
  std::string tags;
  for (int i = 0; i < 44; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  ASSERT_EQ(thrashed(history, R"(,"Tags":{)" + tags + "}"), kStoppingToCopy);
  history.aws().pass(seconds(90));
  for (int i = 0; i < 2; ++i) history.aws().tag_job(kJob, fmt::format("late{}", i), "v");
  ASSERT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("copied as "));
  const std::string copy = history.aws().created().at(0);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
  history.transition("Completed", "", copy);
  ASSERT_TRUE(
      history.aws().call("DeleteTrainingJob", fmt::format(R"({{"TrainingJobName":"{}"}})", copy)));
  EXPECT_EQ(end_of(history.deliver("Stopped", "Stopped")), "-");
  history.sweep_on(3);
  EXPECT_EQ(history.aws().created().size(), 1U);
}

TEST(Restart, A2_AnEventFasterThanDescribeComesAgain) {
  History history(kThrash);
  ASSERT_EQ(thrashed(history), kStoppingToCopy);
  const auto early = history.deliver("Stopped", "Stopped");
  ASSERT_TRUE(early->failure());
  EXPECT_NE(early->failure()->message.find("DescribeTrainingJob still Stopping"),
            std::string::npos);
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, F1_AnEndThatCannotBeLookedAtComesAgain) {
  for (const char* const operation : {"DescribeTrainingJob", "ListTags"}) {
    History history(kThrash);
    ASSERT_EQ(thrashed(history), kStoppingToCopy);
    history.aws().pass(minutes(2));
    history.aws().refuse(operation, kDenied);
    EXPECT_TRUE(history.deliver("Stopped", "Stopped")->failure()) << operation;
    EXPECT_TRUE(history.aws().created().empty()) << operation;
    history.repeat();
    EXPECT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("copied as "));
  }
}

}  // namespace
}  // namespace trainwarden::testing::restart_test
