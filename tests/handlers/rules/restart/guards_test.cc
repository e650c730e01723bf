#include "handlers/rules/restart/guards.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::rules::guards_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr long kEnd = 1783000000;
const sys_seconds kNow{seconds(kEnd + 60)};

json::Document parse(std::string_view text) {
  auto parsed = json::Document::parse(text);
  EXPECT_TRUE(parsed) << text;
  return *std::move(parsed);
}

struct Job {
  std::string status = "Failed";
  std::string secondary = "Failed";
  std::string reason = "InternalServerError: We encountered an internal error. Please try again.";
  int trained = 7200;
  std::string more = {};  // further members, each with a comma before it
  std::string name = "a";
};

std::string describe(const Job& job) {
  return fmt::format(
      R"({{"TrainingJobName": "{}", "TrainingJobStatus": "{}", "SecondaryStatus": "{}",
          "FailureReason": "{}", "TrainingTimeInSeconds": {}, "TrainingEndTime": {},
          "RoleArn": "arn:aws:iam::111122223333:role/training/Some"{}}})",
      job.name, job.status, job.secondary, job.reason, job.trained, kEnd, job.more);
}

struct Asked {
  std::string tags = "{}";
  Restart options = {};
  std::vector<std::string> roles = {};
  std::optional<Job> parent = {};
  sys_seconds now = kNow;
  JobItem item = {};
};

// The first guard that refuses, or "allowed".
std::string verdict(const Job& job, const Asked& asked = {}) {
  const auto document = parse(describe(job));
  const auto tag_document = parse(asked.tags);
  const TrainingJob described = read_training_job(document.root());
  const JobTags tags = read_job_tags(tag_document.root());
  const Lineage lineage = lineage_of(tags, job.name);
  const RestartCase found{described, tags, lineage, asked.roles, asked.now};
  if (const auto refused = why_no_copy(found)) return text(*refused);
  if (const auto stopped = why_stopped(described, asked.item, asked.now)) return text(*stopped);
  const auto parent_document = parse(asked.parent ? describe(*asked.parent) : "{}");
  const TrainingJob parent = read_training_job(parent_document.root());
  const auto refused = why_no_restart(found, asked.options, asked.parent ? &parent : nullptr);
  return refused ? text(*refused) : "allowed";
}

std::string copy_tags(int generation) {
  return fmt::format(R"({{"trainwarden:generation": "{}", "trainwarden:root": "root",
                         "trainwarden:parent": "parent"}})",
                     generation);
}

TEST(RestartGuards, A2_AJobThatFailedOrRanIntoALimitMayBeRunAgain) {
  EXPECT_EQ(verdict({}), "allowed");
  EXPECT_EQ(verdict({.status = "Stopped", .secondary = "MaxRuntimeExceeded"}), "allowed");
  EXPECT_EQ(verdict({.status = "Stopped", .secondary = "MaxWaitTimeExceeded"}), "allowed");
  EXPECT_EQ(verdict({.status = "InProgress", .secondary = "Interrupted"}), "allowed");
}

TEST(RestartGuards, A3_APlanOfAPreferenceIsAPlan) {
  const char* const plan =
      R"(, "ResourceConfig": {"InstancePreferences": [
         {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
         {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1, "TrainingPlanArns": ["arn:p"]}],
         "SelectedInstanceType": "ml.g5.xlarge", "SelectedInstanceCount": 1})";
  EXPECT_EQ(verdict({.more = plan}),
            "it runs in a training plan, whose capacity a copy would have to share");
  EXPECT_EQ(verdict({.more = R"(, "ResourceConfig": {"InstancePreferences": [
         {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1, "TrainingPlanArns": []}]})"}),
            "allowed");
}

TEST(RestartGuards, A2_APersonsStopStands) {
  EXPECT_EQ(verdict({.status = "Stopped", .secondary = "Stopped"}),
            "it was stopped on purpose, and not to be run again");
}

constexpr const char* kRuleStopped = "a rule stopped it, and a stop beats a restart";

JobItem stopped_for_good(long at, bool accepted) {
  JobItem item;
  item.stop = StopRecord{
      .rule = "idle", .why = "idle", .at = sys_seconds(seconds(at)), .accepted = accepted};
  return item;
}

TEST(RestartGuards, P4_WhatARuleStoppedForGoodIsNotRunAgainHoweverItEnded) {
  const JobItem item = stopped_for_good(kEnd - 20, true);
  for (const auto& [status, secondary] :
       {std::pair{"Failed", "Failed"}, std::pair{"Stopped", "MaxRuntimeExceeded"},
        std::pair{"Stopped", "MaxWaitTimeExceeded"}, std::pair{"Stopped", "Stopped"}})
    EXPECT_EQ(verdict({.status = status, .secondary = secondary}, {.item = item}), kRuleStopped)
        << secondary;
  EXPECT_EQ(verdict({.status = "InProgress", .secondary = "Training"}, {.item = item}),
            "a rule stops it, and a stop beats a restart");
}

// Whoever owns the job can write these.
TEST(RestartGuards, P4_TagsThatSpeakOfAStopAreNoStop) {
  EXPECT_EQ(verdict({}, {.tags = R"({"trainwarden:action": "stop", "trainwarden:rule": "idle",
                                     "trainwarden:at": "2026-07-02T13:46:41Z",
                                     "trainwarden:stopped": "2026-07-02T13:46:41Z",
                                     "trainwarden:intent": "void", "trainwarden:child": "b"})"}),
            "allowed");
}

// Transitions through these states, ten seconds each, the last at kEnd.
std::string through(const std::vector<std::string>& states) {
  std::string out;
  long at = kEnd - 10 * static_cast<long>(states.size() - 1);
  for (const std::string& state : states) {
    out +=
        fmt::format(R"({}{{"Status": "{}", "StartTime": {}}})", out.empty() ? "" : ",", state, at);
    at += 10;
  }
  return R"(, "SecondaryStatusTransitions": [)" + out + "]";
}

constexpr const char* kOnPurpose = "it was stopped on purpose, and not to be run again";

TEST(RestartGuards, A2_APersonsStopThatEndsAsFailedStands) {
  const Job job{.more = through({"Training", "Stopping", "Failed"})};
  EXPECT_EQ(verdict(job), kOnPurpose);
  EXPECT_EQ(verdict({.more = through({"Training", "Uploading", "Failed"})}), "allowed");
}

TEST(RestartGuards, P4_AStopWhoseAnswerWasLostCountsIfStoppingFollowed) {
  const Job job{.more = through({"Training", "Stopping", "Failed"})};  // stopping since kEnd - 10
  EXPECT_EQ(verdict(job, {.item = stopped_for_good(kEnd - 11, false)}), kRuleStopped);
  EXPECT_EQ(verdict(job, {.item = stopped_for_good(kEnd - 8, false)}), kRuleStopped);  // clocks
  EXPECT_EQ(verdict(job, {.item = stopped_for_good(kEnd - 7, false)}), kOnPurpose);
  EXPECT_EQ(verdict(job, {.item = stopped_for_good(kEnd - 7200, false)}), kOnPurpose);
}

TEST(RestartGuards, A2_AJobWhoseRestartCameToNothingIsLeftStopped) {
  const Job job{.more = through({"Training", "Stopping", "Failed"})};
  JobItem item;
  item.restart = RestartRecord{.rule = "slow", .why = "slow", .at = kNow, .accepted = true};
  item.closed = ClosedRecord{kNow, Closed::kRefused};
  EXPECT_EQ(verdict(job, {.item = item}), "it was stopped, and its restart came to nothing");
  // Its own stop was not done: whoever stopped the job meant it.
  item.closed->why = Closed::kThrottled;
  EXPECT_EQ(verdict(job, {.item = item}), kOnPurpose);
}

TEST(RestartGuards, A2_SageMakersOwnStopIsNoPersonsStop) {
  for (const char* const limit : {"MaxRuntimeExceeded", "MaxWaitTimeExceeded"}) {
    EXPECT_EQ(verdict({.status = "Stopped",
                       .secondary = limit,
                       .more = through({"Training", "Stopping", "Uploading", limit})}),
              "allowed");
    EXPECT_EQ(verdict({.more = through({"Training", "Stopping", limit, "Failed"})}), "allowed");
  }
}

TEST(RestartGuards, A2_WhatIsDoneOrBeingDeletedIsNotRunAgain) {
  EXPECT_EQ(verdict({.status = "Completed", .secondary = "Completed"}), "it completed");
  EXPECT_EQ(verdict({.status = "Deleting", .secondary = "Failed"}), "it is being deleted");
}

TEST(RestartGuards, A2_ChildrenOfLargerJobsAreTheirParentsBusiness) {
  EXPECT_EQ(verdict({.more = R"(, "TuningJobArn": "arn:t")"}),
            "it belongs to a tuning job, which launches its own jobs");
  EXPECT_EQ(verdict({.more = R"(, "AutoMLJobArn": "arn:t")"}),
            "it belongs to an AutoML job, which launches its own jobs");
  EXPECT_EQ(verdict({.more = R"(, "LabelingJobArn": "arn:t")"}),
            "it belongs to a labeling job, which launches its own jobs");
  EXPECT_EQ(verdict({}, {.tags = R"({"sagemaker:pipeline-execution-arn": "arn:p"})"}),
            "it belongs to a pipeline, which launches its own jobs");
  EXPECT_EQ(verdict({.more = R"(, "TuningJobArn": null, "AutoMLJobArn": "")"}), "allowed");
}

TEST(RestartGuards, A2_ATrainingPlanIsNotShared) {
  EXPECT_EQ(verdict({.more = R"(, "ResourceConfig": {"TrainingPlanArn": "arn:plan"})"}),
            "it runs in a training plan, whose capacity a copy would have to share");
}

TEST(RestartGuards, A2_OnlyRolesThatWeMayPass) {
  EXPECT_EQ(verdict({}, {.roles = {"arn:aws:iam::111122223333:role/Other"}}),
            "its role arn:aws:iam::111122223333:role/training/Some is not among those of "
            "TRAINWARDEN_PASS_ROLES");
  EXPECT_EQ(verdict({}, {.roles = {"arn:aws:iam::111122223333:role/Other",
                                   "arn:aws:iam::111122223333:role/training/*"}}),
            "allowed");
  EXPECT_EQ(verdict({}, {.roles = {"arn:aws:iam::111122223333:role/training/Some"}}), "allowed");
  EXPECT_NE(verdict({}, {.roles = {"arn:aws:iam::111122223333:role/training/So"}}), "allowed");
}

TEST(RestartGuards, A3_AJobThatEndedLongAgoIsLeftAlone) {
  const sys_seconds end{seconds(kEnd)};
  EXPECT_EQ(verdict({}, {.now = end + hours(26)}), "allowed");
  EXPECT_EQ(verdict({}, {.now = end + hours(26) + seconds(1)}), "it ended more than 26 hours ago");
}

TEST(RestartGuards, A2_AtItsLimitOfGenerationsAChainEnds) {
  EXPECT_EQ(verdict({}, {.tags = copy_tags(2)}), "allowed");
  EXPECT_EQ(verdict({}, {.tags = copy_tags(3)}), "it is generation 3 of root, and the limit is 3");
  EXPECT_EQ(verdict({}, {.tags = copy_tags(1), .options = {.limit = 1}}),
            "it is generation 1 of root, and the limit is 1");
  EXPECT_EQ(verdict({}, {.tags = R"({"trainwarden:generation": "many"})"}),
            "its tag trainwarden:generation is no number");
}

constexpr const char* kOom =
    "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage RuntimeError: CUDA out of "
    "memory. Tried to allocate 2.50 GiB at 0x7f2a, exit code: 1";

TEST(RestartGuards, A2_TheSameFailureTwiceWithoutProgressIsTheLast) {
  const Job parent{.reason = kOom, .trained = 9000, .name = "parent"};
  EXPECT_EQ(verdict({.reason = kOom, .trained = 40}, {.tags = copy_tags(1), .parent = parent}),
            "it failed the same way as its parent parent, after 40 s of training (progress is 600 "
            "s or more)");
  EXPECT_EQ(verdict({.reason = kOom, .trained = 600}, {.tags = copy_tags(1), .parent = parent}),
            "allowed");
  EXPECT_EQ(
      verdict({.reason = kOom, .trained = 599},
              {.tags = copy_tags(1), .options = {.min_progress_seconds = 300}, .parent = parent}),
      "allowed");
  EXPECT_EQ(verdict({.trained = 40}, {.tags = copy_tags(1), .parent = parent}), "allowed");
}

TEST(RestartGuards, A2_AParentThatIsGoneCannotSpeakForItsCopy) {
  EXPECT_EQ(verdict({.reason = kOom, .trained = 40}, {.tags = copy_tags(1)}),
            "it failed after 40 s of training, and its parent parent is gone, so that nobody knows "
            "whether it failed the same way");
  EXPECT_EQ(verdict({.reason = kOom, .trained = 4000}, {.tags = copy_tags(1)}), "allowed");
}

TEST(RestartGuards, A2_TheRootHasNoParentToRepeat) {
  EXPECT_EQ(verdict({.reason = kOom, .trained = 1}), "allowed");
}

constexpr const char* kCapacity =
    "CapacityError: Unable to provision requested ML compute capacity.";

TEST(RestartGuards, A4_ACapacityErrorTwiceIsNotTheJobsFailure) {
  const Job parent{.reason = kCapacity, .trained = 0, .name = "parent"};
  EXPECT_EQ(verdict({.reason = kCapacity, .trained = 0}, {.tags = copy_tags(1), .parent = parent}),
            "allowed");
}

bool same(const Job& a, const Job& b) {
  const auto one = parse(describe(a));
  const auto other = parse(describe(b));
  return same_failure(read_training_job(one.root()), read_training_job(other.root()));
}

TEST(SameFailure, A2_IgnoresWhatDiffersFromRunToRun) {
  EXPECT_TRUE(same({.reason = "AlgorithmError: rank 3 of train-7 died at 0x7ffe12 after 123 s",
                    .name = "train-7"},
                   {.reason = "AlgorithmError: rank 11 of train-7-r1-0123abcd died at 0x55aa after "
                              "9 s",
                    .name = "train-7-r1-0123abcd"}));
  EXPECT_TRUE(same({.reason = "ClientError: see error", .name = "error"},
                   {.reason = "ClientError: see error", .name = "error-r1-0123abcd"}));
}

TEST(SameFailure, A2_TellsFailuresApart) {
  EXPECT_FALSE(same({.reason = "AlgorithmError: a, exit code: 1"},
                    {.reason = "AlgorithmError: a, exit code: 137"}));
  EXPECT_FALSE(same({.reason = "AlgorithmError: KeyError"}, {.reason = "AlgorithmError: OSError"}));
  EXPECT_FALSE(same({.status = "Stopped", .secondary = "MaxRuntimeExceeded"}, {}));
  EXPECT_TRUE(same({.status = "Stopped", .secondary = "MaxWaitTimeExceeded"},
                   {.status = "Stopped", .secondary = "MaxWaitTimeExceeded"}));
  EXPECT_FALSE(same({.status = "Stopped", .secondary = "Stopped"},
                    {.status = "Stopped", .secondary = "Stopped"}));
}

// The type that the copy takes; "" as it was.
std::string type(const std::string& resources, const std::string& reason,
                 const std::vector<std::string>& list) {
  const auto job =
      parse(describe({.reason = reason, .more = ", \"ResourceConfig\": " + resources}));
  return changes_for(read_training_job(job.root()), std::nullopt, list).instance_type;
}

TEST(InstanceTypes, A4_AfterACapacityErrorTheNextOfTheListIsTaken) {
  const char* const on_a = R"({"InstanceType": "ml.a", "InstanceCount": 1})";
  EXPECT_EQ(type(on_a, kCapacity, {"ml.a", "ml.b"}), "ml.b");
  EXPECT_EQ(type(on_a, kCapacity, {"ml.b", "ml.c"}), "ml.b");
  EXPECT_EQ(type(on_a, kCapacity, {"ml.b", "ml.a"}), "");
  EXPECT_EQ(type(on_a, kCapacity, {}), "");
}

TEST(InstanceTypes, A4_AfterAnotherFailureATypeOfTheListStays) {
  const char* const on_a = R"({"InstanceType": "ml.a", "InstanceCount": 1})";
  EXPECT_EQ(type(on_a, "InternalServerError", {"ml.a", "ml.b"}), "");
  EXPECT_EQ(type(on_a, "InternalServerError", {"ml.b"}), "ml.b");
}

TEST(InstanceTypes, A4_InstanceGroupsStayAsTheyAre) {
  EXPECT_EQ(type(R"({"InstanceCount": 0, "InstanceType": "ml.a",
                     "InstanceGroups": [{"InstanceType": "ml.a", "InstanceCount": 1}]})",
                 kCapacity, {"ml.b"}),
            "");
}

std::optional<long> waits(int generation, const CopyChanges& changes,
                          const std::string& reason = kCapacity, bool spot = false) {
  const auto job = parse(describe(
      {.reason = reason,
       .more = fmt::format(
           R"(, "EnableManagedSpotTraining": {}, "ResourceConfig": {{"InstanceType": "ml.a"}})",
           spot)}));
  const auto until = wait_for_capacity(read_training_job(job.root()), generation, changes);
  if (!until) return std::nullopt;
  return std::chrono::duration_cast<minutes>(*until - sys_seconds(seconds(kEnd))).count();
}

TEST(Capacity, A4_TheSameMachinesAreAskedForAgainLaterAndLater) {
  EXPECT_EQ(waits(0, {}), 15);
  EXPECT_EQ(waits(1, {}), 30);
  EXPECT_EQ(waits(3, {}), 120);
  EXPECT_EQ(waits(500, {}), 15 * 128);
  EXPECT_EQ(waits(0, {.spot = {}, .instance_type = "ml.a"}), 15);
}

TEST(Capacity, A4_OtherMachinesAreAskedForAtOnce) {
  EXPECT_EQ(waits(0, {.spot = {}, .instance_type = "ml.b"}), std::nullopt);
  EXPECT_EQ(waits(0, {.spot = false, .instance_type = {}}, kCapacity, true), std::nullopt);
  EXPECT_EQ(waits(0, {.spot = false, .instance_type = {}}, kCapacity, false), 15);
}

TEST(Capacity, A4_OtherFailuresDoNotWait) {
  EXPECT_EQ(waits(0, {}, "InternalServerError: x"), std::nullopt);
}

}  // namespace
}  // namespace trainwarden::rules::guards_test
