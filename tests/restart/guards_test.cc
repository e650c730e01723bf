// What keeps a job from being run again, asked before anything is written, and what the record says
// about it.
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::guards_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// Guards of jobs that have ended.
TEST(RestartRefused, A2_APersonsStop) {
  History history(kResume);
  EXPECT_EQ(
      resumed(history, {.reason = "", .more = "", .status = "Stopped", .secondary = "Stopped"}),
      "refused: it was stopped on purpose, and not to be run again");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, P4_AJobThatARuleStoppedHoweverItEnds) {
  for (const char* const end : {"Failed", "MaxWaitTimeExceeded", "MaxRuntimeExceeded"}) {
    History history(std::string(kResume) +
                    R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                         "actions":["stop"]})");
    history.place("InProgress", "Training");
    ASSERT_EQ(result_of(*history.deliver("InProgress", "Training"), rules::ActionKind::kStop),
              "stopped");
    history.aws().pass(seconds(20));
    history.transition(end, "AlgorithmError: exit code: 143");
    EXPECT_EQ(result_of(*history.deliver(end[0] == 'F' ? "Failed" : "Stopped", end)),
              "refused: a rule stopped it, and a stop beats a restart");
    history.sweep();
    EXPECT_TRUE(history.aws().created().empty());
  }
}

// A stop that was denied; the job ran on and failed by itself a day later.
TEST(Restart, P4_AStopThatWasRefusedIsNone) {
  History history(std::string(kResume) +
                  R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                       "actions":["stop"]})");
  history.place("InProgress", "Training");
  history.aws().refuse("StopTrainingJob", kDenied);
  EXPECT_TRUE(result_of(*history.deliver("InProgress", "Training"), rules::ActionKind::kStop)
                  .starts_with("failed "));
  history.aws().pass(seconds(86'400));
  history.transition("Failed", "InternalServerError: We encountered an internal error.");
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("copied as "));
}

TEST(RestartRefused, A2_APersonsStopThatEndsAsFailed) {
  History history(kResume);
  history.place("InProgress", "Training");
  history.transition("Stopping");
  history.aws().pass(seconds(60));
  history.transition("Failed", "AlgorithmError: exit code: 143");
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it was stopped on purpose, and not to be run again");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_Completed) {
  History history(kResume);
  EXPECT_EQ(
      resumed(history, {.reason = "", .more = "", .status = "Completed", .secondary = "Completed"}),
      "refused: it completed");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_MaxRuntimeIsNotAPersonsStop) {
  History history(kResume);
  EXPECT_TRUE(
      resumed(history,
              {.reason = "", .more = "", .status = "Stopped", .secondary = "MaxRuntimeExceeded"})
          .starts_with("copied as "));
}

TEST(RestartRefused, A2_ChildrenAndPlansAndRoles) {
  struct Case {
    const char* more;
    const char* why;
  };
  for (
      const Case& c :
      {Case{
           R"(,"TuningJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:hyper-parameter-tuning-job/t")",
           "refused: it belongs to a tuning job, which launches its own jobs"},
       Case{R"(,"AutoMLJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:automl-job/t")",
            "refused: it belongs to an AutoML job, which launches its own jobs"},
       Case{R"(,"LabelingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:labeling-job/t")",
            "refused: it belongs to a labeling job, which launches its own jobs"},
       Case{R"(,"Tags":{"sagemaker:pipeline-execution-arn":"arn:p"})",
            "refused: it belongs to a pipeline, which launches its own jobs"},
       Case{
           R"(,"Tags":{"MANAGED_BY_AWS":"STARTED_BY_STEP_FUNCTIONS"})",
           "refused: it belongs to a state machine of Step Functions, which launches its own jobs"},
       Case{
           R"(,"Tags":{"AWS_STEP_FUNCTIONS_EXECUTION_ARN":)"
           R"("arn:aws:states:eu-central-1:111122223333:execution:train:1"})",
           "refused: it belongs to a state machine of Step Functions, which launches its own jobs"},
       Case{R"(,"ResourceConfig":{"InstanceType":"ml.p5.48xlarge","InstanceCount":1,)"
            R"("TrainingPlanArn":"arn:plan"})",
            "refused: it runs in a training plan, whose capacity a copy would have to share"}}) {
    History history(kResume);
    EXPECT_EQ(resumed(history, {.reason = "x", .more = c.more}), c.why);
    EXPECT_FALSE(history.acted()) << c.why;
  }
  History history(kResume);
  history.config().pass_roles = {"arn:aws:iam::111122223333:role/other/*"};
  EXPECT_EQ(resumed(history, {}),
            "refused: its role arn:aws:iam::111122223333:role/training/SomeRole is not among those "
            "of TRAINWARDEN_PASS_ROLES");
  EXPECT_FALSE(history.acted());
}

// Tags that look like those of Step Functions and are not.
TEST(Restart, A2_OnlyAStateMachinesTagsAreItsTags) {
  for (const char* const tags : {R"(,"Tags":{"MANAGED_BY_AWS":"STARTED_BY_CLOUDFORMATION"})",
                                 R"(,"Tags":{"managed_by_aws":"STARTED_BY_STEP_FUNCTIONS"})",
                                 R"(,"Tags":{"AWS_STEP_FUNCTIONS_EXECUTION_ARN":""})",
                                 R"(,"Tags":{"launched_by":"STARTED_BY_STEP_FUNCTIONS"})"}) {
    History history(kResume);
    EXPECT_TRUE(resumed(history, {.more = tags}).starts_with("copied as ")) << tags;
  }
}

std::string lineage_tags(int generation, const std::string& parent = "train-7-parent") {
  return fmt::format(R"(,"Tags":{{"trainwarden:generation":"{}","trainwarden:root":"train-7-root",)"
                     R"("trainwarden:parent":"{}"}})",
                     generation, parent);
}

TEST(RestartRefused, A2_TheLimitOfGenerations) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = lineage_tags(2)}),
            "refused: it is generation 2 of train-7-root, and the limit is 2");
  EXPECT_FALSE(history.acted());
}

// A job that was created so many seconds ago.
void place_young(History& history, const char* status, const char* secondary, long age,
                 const std::string& name = kJob) {
  history.aws().place(
      {.name = name,
       .status = status,
       .secondary = secondary,
       .type = "ml.p4d.24xlarge",
       .age = seconds(age),
       .since = seconds(0),
       .more = R"(,"EnableManagedSpotTraining":true,"FailureReason":"InternalServerError: x",
           "StoppingCondition":{"MaxRuntimeInSeconds":172800,"MaxWaitTimeInSeconds":200000})"});
}

// Its tags arrive with the 14th second.
void tags_arrive(History& history, const std::string& tags, const std::string& name = kJob) {
  const sys_millis there = history.clock().now() + seconds(13);
  history.aws().meanwhile = [&history, tags, name, there, met = false](int) mutable {
    if (met || history.clock().now() < there) return;
    met = true;
    ASSERT_TRUE(history.aws().call(
        "AddTags", fmt::format(R"({{"ResourceArn":"{}","Tags":{}}})", arn_of(name), tags)));
  };
}

constexpr const char* kOfAPipeline =
    R"([{"Key":"sagemaker:pipeline-execution-arn","Value":"arn:p"}])";

TEST(RestartRefused, A2_AYoungJobsTagsAreWaitedFor) {
  for (const bool told : {true, false}) {
    History history(kThrash);
    place_young(history, "InProgress", "Interrupted", 1);
    tags_arrive(history, kOfAPipeline);
    rules::JobEvent event;
    event.job_name = kJob;
    if (told) event.creation_time = sys_seconds(seconds(epoch(history) - 1));
    EXPECT_EQ(result_of(*history.handle(event)),
              "refused: it belongs to a pipeline, which launches its own jobs");
    EXPECT_FALSE(history.acted());
  }
  History history(kResume);
  place_young(history, "Failed", "Failed", 1);
  tags_arrive(history, kOfAPipeline);
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it belongs to a pipeline, which launches its own jobs");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_AYoungCopysGenerationIsWaitedFor) {
  History history(kResume);
  const std::string name = "train-7-r2-0123456a";
  place_young(history, "Failed", "Failed", 1, name);
  tags_arrive(
      history,
      R"([{"Key":"trainwarden:generation","Value":"2"},{"Key":"trainwarden:parent","Value":"p"},
                  {"Key":"trainwarden:root","Value":"train-7"}])",
      name);
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed", name)),
            "refused: it is generation 2 of train-7, and the limit is 2");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_ACopyByItsNameHasThatGeneration) {
  History history(kResume);
  const std::string name = "train-7-r2-0123456a";
  place_young(history, "Failed", "Failed", 1000, name);
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed", name))
                  .starts_with("refused: it is generation 2 of "));
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_TheSameFailureTwiceWithoutProgress) {
  History history(kResume);
  const std::string reason = "AlgorithmError: CUDA out of memory, exit code: 1";
  history.place("Failed", "Failed", fmt::format(R"(,"FailureReason":"{}")", reason),
                "train-7-parent");
  history.aws().pass(seconds(100));
  const auto fails_after = [&](int trained) {
    history.place("Failed", "Failed",
                  fmt::format(R"(,"FailureReason":"{}","TrainingTimeInSeconds":{},)"
                              R"("TrainingEndTime":{}{})",
                              reason, trained, epoch(history), lineage_tags(1)));
    return result_of(*history.deliver("Failed", "Failed"));
  };
  EXPECT_EQ(fails_after(42),
            "refused: it failed the same way as its parent train-7-parent, after 42 s of training "
            "(progress is 600 s or more)");
  EXPECT_FALSE(history.acted());
  EXPECT_TRUE(fails_after(601).starts_with("copied as "));
}

TEST(RestartRefused, A3_AJobThatEndedLongAgo) {
  History history(kResume);
  history.place("Failed", "Failed", fmt::format(R"(,"TrainingEndTime":{})", epoch(history)));
  history.aws().pass(hours(27));
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it ended more than 26 hours ago");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_ARunningJobIsNotStoppedForACopyThatCannotBe) {
  History history(kThrash);
  history.place("InProgress", "Training", "", "by-hand");
  history.place("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "refused: the job by-hand uses its checkpoint");
  EXPECT_FALSE(history.acted());
}

TEST(Restart, A1_AJobThatTakesNoTagsIsStoppedAllTheSame) {
  for (const localaws::AwsError& error : {kTagPolicy, kDenied}) {
    History history(kThrash);
    history.aws().refuse("AddTags", error, 100);
    EXPECT_EQ(thrashed(history), kStoppingToCopy);
    history.aws().pass(seconds(120));
    history.deliver("Stopped", "Stopped");
    EXPECT_EQ(history.aws().created().size(), 1U);
  }
}

TEST(Restart, P4_ADroppedRestartStopsNothingTwice) {
  History history(std::string(kThrash) +
                  R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                                            "actions":["stop"]})");
  history.place("InProgress", "Interrupted");
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*record, rules::ActionKind::kStop), "stopped");
  EXPECT_EQ(record->dropped.size(), 1U);
  EXPECT_FALSE(history.item().restart);
}

}  // namespace
}  // namespace trainwarden::testing::guards_test
