// `trainwarden restart`: stop, wait and copy, and what refuses or warns (policy.md A2, A3).
#include <gtest/gtest.h>

#include "tests/handlers/cli/restart/restart_fixture.h"

namespace trainwarden::cli::restart_command_test {
namespace {

TEST_F(RestartByHand, A2_ARunningJobIsStoppedAndCopiedWhenItHasEnded) {
  aws_.place(running());
  const std::string name = name_of_copy();
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(out.output, "run: copied as " + name + "\n");
  EXPECT_TRUE(has(out.error, "run: stopping; when it has ended, its copy " + name)) << out.error;
  EXPECT_EQ(aws_.status("run"), "Stopped");
  EXPECT_EQ(aws_.status(name), "InProgress");
  EXPECT_EQ(aws_.tag("run", "trainwarden:child"), name);
  EXPECT_EQ(aws_.tag(name, "trainwarden:parent"), "run");
  EXPECT_EQ(aws_.tag(name, "trainwarden:generation"), "1");
  EXPECT_EQ(aws_.wrong, std::vector<std::string>());
  for (const char* const of_the_table : {"GetItem", "PutItem", "Query"})
    EXPECT_EQ(aws_.count(of_the_table), 0) << of_the_table;
}

TEST_F(RestartByHand, A2_AJobThatHasEndedIsCopiedAtOnceAndOnce) {
  aws_.place(failed());
  const Printed first = restart({.job = "run", .options = {.spot = true}});
  EXPECT_TRUE(first.output.starts_with("run: copied as run-r1-")) << first.output << first.error;
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  for (const bool dry_run : {false, true}) {
    const Printed again = restart({.job = "run", .dry_run = dry_run});
    EXPECT_EQ(again.status, 0);
    EXPECT_EQ(again.output, "run: already copied as " + aws_.created().front() + "\n");
  }
  EXPECT_EQ(aws_.created().size(), 1U);
}

TEST_F(RestartByHand, ADryRunChangesNothing) {
  aws_.place(running());
  const Printed out = restart({.job = "run", .dry_run = true});
  EXPECT_EQ(out.status, 0);
  EXPECT_TRUE(has(out.error, "would be made when the job has been stopped and has ended"));
  EXPECT_FALSE(has(out.output, "hunter2"));
  EXPECT_TRUE(has(out.output, "\"password\":\"(hidden)\"")) << out.output;
  EXPECT_FALSE(aws_.wrote());
  EXPECT_EQ(aws_.status("run"), "InProgress");
}

TEST_F(RestartByHand, A2_InterruptedItGoesOnWhenItIsGivenAgain) {
  aws_.place(running());
  const std::string name = name_of_copy();
  aws_.before("StopTrainingJob", [&] { interrupted_ = true; });
  const Printed first = restart({.job = "run", .options = {.spot = false}});
  EXPECT_EQ(first.status, 130);
  EXPECT_TRUE(has(first.error,
                  "it is stopping, and is not copied yet; the same command goes on "
                  "from there: trainwarden restart run --spot false\n"))
      << first.error;
  EXPECT_TRUE(aws_.created().empty());
  interrupted_ = false;
  const Printed again = restart();
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.output, "run: copied as " + name + "\n");
  EXPECT_EQ(aws_.count("StopTrainingJob"), 1);
  EXPECT_EQ(aws_.created().size(), 1U);
}

TEST_F(RestartByHand, InterruptedBeforeTheStopItHasDoneNothing) {
  aws_.place(running());
  interrupted_ = true;
  const Printed out = restart();
  EXPECT_EQ(out.status, 130);
  EXPECT_TRUE(has(out.error, "nothing was done"));
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(RestartByHand, CredentialsThatEndWhileItWaits) {
  aws_.place(running());
  aws_.before("StopTrainingJob", [&] { aws_.refuse("DescribeTrainingJob", kExpired); });
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "ExpiredTokenException")) << out.error;
  EXPECT_TRUE(has(out.error,
                  "it is stopping, and is not copied yet; with credentials that are valid the "
                  "same command goes on from there: trainwarden restart run\n"))
      << out.error;
  EXPECT_TRUE(restart().output.starts_with("run: copied as run-r1-"));
}

TEST_F(RestartByHand, CredentialsThatEndAtTheCopy) {
  aws_.place(failed());
  aws_.refuse("CreateTrainingJob", kExpired);
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "with credentials that are valid")) << out.error;
  EXPECT_EQ(aws_.count("CreateTrainingJob"), 1);  // not once more without our tags
  EXPECT_EQ(restart().status, 0);
}

TEST_F(RestartByHand, AStopThatIsDeniedLeavesTheJobRunning) {
  aws_.place(running());
  aws_.refuse("StopTrainingJob", kDenied);
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "AccessDeniedException"));
  EXPECT_FALSE(has(out.error, "goes on"));
  EXPECT_EQ(aws_.status("run"), "InProgress");
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(RestartByHand, AStopWhoseAnswerIsLostIsAStop) {
  aws_.place(running());
  aws_.lose_answer("StopTrainingJob");
  EXPECT_TRUE(restart().output.starts_with("run: copied as "));
}

TEST_F(RestartByHand, A2_APersonsOwnStopIsToldAndNoRefusal) {
  aws_.place(stopping());
  aws_.before("DescribeTrainingJob", [&] { aws_.enter("run", "Stopped"); }, 5);
  const Printed out = restart();
  EXPECT_TRUE(out.output.starts_with("run: copied as ")) << out.output << out.error;
  EXPECT_TRUE(has(out.error, "run: to be run again although somebody stopped it\n")) << out.error;
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
}

TEST_F(RestartByHand, A2_WhatARuleStoppedCanBeRunAgain) {
  PlacedJob job{.name = "run", .status = "Stopped", .secondary = "Stopped", .more = kCheckpoint};
  job.tags = {{"trainwarden:action", "stop"}, {"trainwarden:rule", "no-p5"}};
  aws_.place(job);
  const Printed out = restart();
  EXPECT_TRUE(out.output.starts_with("run: copied as ")) << out.error;
  EXPECT_TRUE(has(out.error, "although its tags say that the rule no-p5 stopped it\n"));
  EXPECT_FALSE(has(out.error, "somebody"));
}

TEST_F(RestartByHand, A2_AJobThatCompletesAllTheSameIsNotCopied) {
  aws_.place(stopping());
  const std::string name = name_of_copy();
  aws_.before("DescribeTrainingJob", [&] { aws_.enter("run", "Completed"); }, 4);
  const Printed out = restart();
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.output, "run: refused: the job completed all the same\n");
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_EQ(restart().output, "run: refused: it completed\n");
}

TEST_F(RestartByHand, A2_AJobThatIsDeletedOrReplacedMeanwhileIsNotCopied) {
  aws_.place(stopping());
  aws_.before(
      "DescribeTrainingJob",
      [&] {
        PlacedJob later = running();
        later.age = seconds(1);
        aws_.place(later);
      },
      4);
  const Printed out = restart();
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.output, "run: refused: the name belongs to a later job\n");
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(RestartByHand, A2_NorIsOneThatIsGoneWhenItIsToBeStopped) {
  aws_.place(running());
  aws_.refuse("StopTrainingJob", {400, "ValidationException", "Requested resource not found."});
  EXPECT_EQ(restart().output, "run: refused: the job is gone\n");
}

TEST_F(RestartByHand, A2_AnotherJobOnTheCheckpointRefusesBeforeTheStop) {
  aws_.place(running());
  aws_.place({.name = "other", .more = kCheckpoint});
  for (const bool dry_run : {true, false}) {
    const Printed out = restart({.job = "run", .dry_run = dry_run});
    EXPECT_EQ(out.status, 1);
    EXPECT_EQ(out.output, "run: refused: the job other uses its checkpoint\n");
  }
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(RestartByHand, A2_AnotherJobThatTakesTheCheckpointWhileItWaitsRefuses) {
  aws_.place(running());
  aws_.before("StopTrainingJob",
              [&] { aws_.place({.name = "other", .age = seconds(1), .more = kCheckpoint}); });
  const Printed out = restart();
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.output, "run: refused: the job other uses its checkpoint\n");
  EXPECT_TRUE(has(out.error,
                  "run: it has ended, and is not copied yet; when that is no longer so, the same "
                  "command goes on from there: trainwarden restart run\n"))
      << out.error;
  EXPECT_EQ(aws_.status("run"), "Stopped");
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(RestartByHand, A3_WhereOurTagsAreDeniedTheCopyBearsNone) {
  PlacedJob job = failed();
  job.tags = {{"team", "vision"}};
  aws_.place(job);
  aws_.refuse("CreateTrainingJob", kDenied);
  aws_.refuse("AddTags", kDenied);
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  ASSERT_EQ(aws_.created().size(), 1U);
  const std::string name = aws_.created().front();
  EXPECT_EQ(out.output, "run: copied as " + name + "\n");
  EXPECT_TRUE(has(out.error, "run: the copy bears no tags of Trainwarden's: ")) << out.error;
  EXPECT_TRUE(has(out.error, "run: its tag trainwarden:child was not written: ")) << out.error;
  EXPECT_EQ(aws_.tag(name, "team"), "vision");
  EXPECT_FALSE(has(aws_.create_requests.front(), "trainwarden:"));
  // Tags do not count, and one that is missing is made up for.
  EXPECT_EQ(restart({.job = "run", .dry_run = true}).output,
            "run: already copied as " + name + "\n");
  EXPECT_EQ(aws_.count("AddTags"), 1);
  EXPECT_EQ(restart().output, "run: already copied as " + name + "\n");
  EXPECT_EQ(aws_.tag("run", "trainwarden:child"), name);
}

TEST_F(RestartByHand, ACopyThatIsDeniedWithAndWithoutTagsIsToldAsDenied) {
  aws_.place(failed());
  aws_.refuse("CreateTrainingJob", kDenied, 2);
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "CreateTrainingJob: AccessDeniedException"));
  EXPECT_EQ(aws_.count("CreateTrainingJob"), 2);
}

TEST_F(RestartByHand, A3_AJobWithManyTagsOfItsOwnIsCopiedWithoutOurs) {
  PlacedJob job = failed();
  for (int i = 0; i < 48; ++i) job.tags.emplace_back("key" + std::to_string(i), "v");
  aws_.place(job);
  const Printed out = restart();
  EXPECT_EQ(out.status, 0) << out.error;
  EXPECT_TRUE(has(out.error, "the copy bears no tags of Trainwarden's"));
  ASSERT_EQ(aws_.create_requests.size(), 1U);
  EXPECT_FALSE(has(aws_.create_requests.front(), "trainwarden:"));
  EXPECT_TRUE(has(aws_.create_requests.front(), "key47"));
}

TEST_F(RestartByHand, A3_ANameThatAnotherJobHasIsRefused) {
  aws_.place(failed());
  const std::string name = name_of_copy();
  aws_.place({.name = name, .age = seconds(1)});  // with another checkpoint: none
  const Printed out = restart();
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.output,
            "run: refused: the name " + name + " is taken by a job that is no copy of it\n");
}

// Nothing that was there before its original had ended is its copy, whatever it says of itself.
TEST_F(RestartByHand, A3_AJobThatTookTheCopysNameBeforeTheEndIsNoCopy) {
  aws_.place({.name = "run"});
  const std::string name = name_of_copy();
  aws_.place({.name = name, .age = minutes(1), .tags = {{"trainwarden:parent", "run"}}});
  const Printed out = restart();
  EXPECT_EQ(out.status, 1);
  EXPECT_TRUE(has(out.output, "is taken by a job that is no copy of it"));
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(RestartByHand, A3_ACopyThatSomebodyElseMadeMeanwhileIsFound) {
  aws_.place(failed());
  const std::string name = name_of_copy();
  aws_.before("CreateTrainingJob",
              [&] { aws_.place({.name = name, .age = seconds(0), .more = kCheckpoint}); });
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(out.output, "run: already copied as " + name + "\n");
}

TEST_F(RestartByHand, A3_ACopyThatIsMadeBetweenTwoLooksIsFound) {
  aws_.place(stopping());
  const std::string name = name_of_copy();
  const auto ends_and_is_copied = [&] {
    aws_.enter("run", "Stopped");
    aws_.place({.name = name, .age = seconds(0), .more = kCheckpoint});
  };
  aws_.before("DescribeTrainingJob", ends_and_is_copied, 2);  // of the copy's name
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(out.output, "run: already copied as " + name + "\n");
}

TEST_F(RestartByHand, A3_ACopyWhoseAnswerIsLostIsFound) {
  aws_.place(failed());
  aws_.lose_answer("CreateTrainingJob");
  const Printed out = restart();
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(aws_.created().size(), 1U);
}

TEST_F(RestartByHand, A3_ACopyThatWasDeletedIsMadeAgain) {
  aws_.place(failed());
  const std::string name = name_of_copy();
  PlacedJob tagged = failed();
  tagged.tags = {{"trainwarden:child", name}};
  aws_.place(tagged);
  const Printed out = restart();
  EXPECT_EQ(out.output, "run: copied as " + name + "\n");
  EXPECT_TRUE(has(out.error, "run: its copy " + name + " is gone\n"));
}

TEST_F(RestartByHand, WhatAwsRefusesAfterTheStopIsToldWithHowToGoOn) {
  aws_.place(running());
  aws_.refuse("CreateTrainingJob", {400, "ResourceLimitExceeded", "The account-level limit"});
  const Printed out = restart();
  EXPECT_EQ(out.status, 2);
  EXPECT_TRUE(has(out.error, "ResourceLimitExceeded"));
  EXPECT_TRUE(has(out.error, "it has ended, and is not copied yet; the same command goes on"));
  EXPECT_TRUE(restart().output.starts_with("run: copied as "));
}

TEST_F(RestartByHand, WhatOnlyWarnsIsAllTold) {
  PlacedJob job = failed();
  job.name = "run-r3-0123abcd";
  job.age = hours(60);
  job.since = hours(30);
  job.tags = {{"trainwarden:generation", "3"},
              {"trainwarden:parent", "gone"},
              {"sagemaker:pipeline-execution-arn", "arn:aws:sagemaker:x:1:pipeline/p/execution/e"}};
  job.more += R"(, "FailureReason": "AlgorithmError: exit code 1", "TrainingTimeInSeconds": 5)";
  config_.pass_roles = {"arn:aws:iam::111122223333:role/other"};
  aws_.place(job);
  const Printed out = restart({.job = job.name});
  EXPECT_EQ(out.status, 0) << out.output;
  EXPECT_TRUE(out.output.starts_with("run-r3-0123abcd: copied as run-r4-")) << out.output;
  for (const char* const doubt :
       {"although it belongs to a pipeline", "although its role ", "although it ended more than 26",
        "although it is generation 3 of ", "although it failed after 5 s of training"})
    EXPECT_TRUE(has(out.error, doubt)) << doubt << "\n" << out.error;
}

TEST_F(RestartByHand, OneTypeForInstanceGroupsIsRefused) {
  PlacedJob job = running();
  job.more += R"(, "ResourceConfig": {"InstanceGroups": [
      {"InstanceGroupName": "a", "InstanceType": "ml.g5.xlarge", "InstanceCount": 1}]})";
  aws_.place(job);
  const Printed out = restart({.job = "run", .options = {.instance_types = {"ml.g5.2xlarge"}}});
  EXPECT_EQ(out.status, 1);
  EXPECT_TRUE(has(out.output, "instance groups"));
  EXPECT_FALSE(aws_.wrote());
}

}  // namespace
}  // namespace trainwarden::cli::restart_command_test
