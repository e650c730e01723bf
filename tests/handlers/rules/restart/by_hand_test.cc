// What speaks against a restart that a person asks for: little refuses, all else is told.
#include "handlers/rules/restart/by_hand.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trainwarden::rules::by_hand_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr long kHandEnd = 1'783'000'000;

struct Asked {
  std::string job;
  std::string tags = "{}";
  Restart options = {};
  std::string parent = {};
  std::vector<std::string> roles = {};
};

struct Verdict {
  std::optional<Why> refusal;
  std::vector<Why> doubts;
  bool operator==(const Verdict&) const = default;
};

Verdict judged(const Asked& asked) {
  const auto job_document = json::Document::parse(asked.job);
  const auto tag_document = json::Document::parse(asked.tags);
  const auto parent_document = json::Document::parse(asked.parent.empty() ? "{}" : asked.parent);
  EXPECT_TRUE(job_document && tag_document && parent_document) << asked.job;
  const TrainingJob job = read_training_job(job_document->root());
  const TrainingJob parent = read_training_job(parent_document->root());
  const JobTags tags = read_job_tags(tag_document->root());
  const Lineage lineage = lineage_of(tags, job.name);
  const ByHand found =
      judge_by_hand({job, tags, lineage, asked.roles, sys_seconds(seconds(kHandEnd)) + hours(1)},
                    asked.options, asked.parent.empty() ? nullptr : &parent);
  Verdict out;
  if (found.refusal) out.refusal = found.refusal->why;
  for (const Reason& doubt : found.doubts) out.doubts.push_back(doubt.why);
  return out;
}

std::string described(const std::string& status, const std::string& more = "",
                      long end = kHandEnd) {
  return fmt::format(
      R"({{"TrainingJobName": "a", "TrainingJobStatus": "{0}", "SecondaryStatus": "{0}",
          "RoleArn": "arn:aws:iam::111122223333:role/Some", "TrainingEndTime": {1}{2}}})",
      status, end, more);
}

TEST(RestartByHandRules, A2_AJobThatFailedOrRunsMeetsNothing) {
  for (const char* const status : {"Failed", "InProgress"})
    EXPECT_EQ(judged({.job = described(status)}), Verdict()) << status;
}

TEST(RestartByHandRules, A2_OnlyWhatLeavesNothingToRunRefuses) {
  EXPECT_EQ(judged({.job = described("Completed")}).refusal, Why::kCompleted);
  EXPECT_EQ(judged({.job = described("Deleting")}).refusal, Why::kBeingDeleted);
  const Verdict much = judged(
      {.job = described("Stopped",
                        R"(, "TuningJobArn": "arn:t", "ResourceConfig": {"TrainingPlanArn": "p"})",
                        kHandEnd - 100 * 3600),
       .tags = R"({"trainwarden:generation": "3"})",
       .roles = {"arn:aws:iam::111122223333:role/Other"}});
  EXPECT_EQ(much.refusal, std::nullopt);
  EXPECT_EQ(much.doubts,
            (std::vector{Why::kLaunchedByTuningJob, Why::kTrainingPlan, Why::kRoleNotAllowed,
                         Why::kEndedLongAgo, Why::kStoppedOnPurpose, Why::kLimit}));
}

TEST(RestartByHandRules, A2_WhoStoppedItIsToldAsTheTagsSay) {
  const std::string stop = R"({"trainwarden:action": "stop", "trainwarden:rule": "idle"})";
  const std::string restart = R"({"trainwarden:action": "restart", "trainwarden:rule": "idle"})";
  for (const char* const status : {"Stopped", "Stopping"}) {
    EXPECT_EQ(judged({.job = described(status)}).doubts, std::vector{Why::kStoppedOnPurpose});
    EXPECT_EQ(judged({.job = described(status), .tags = stop}).doubts,
              std::vector{Why::kRuleStopped});
    EXPECT_EQ(judged({.job = described(status), .tags = restart}).doubts, std::vector<Why>());
  }
  EXPECT_EQ(judged({.job = R"({"TrainingJobStatus": "Stopped",
                               "SecondaryStatus": "MaxRuntimeExceeded", "TrainingEndTime": 1783000000})"})
                .doubts,
            std::vector<Why>());  // nobody's stop
}

TEST(RestartByHandRules, A2_TheLimitDoesNotHideTheSameFailure) {
  const std::string failed = described(
      "Failed", R"(, "FailureReason": "AlgorithmError: exit code 1", "TrainingTimeInSeconds": 5)");
  const std::string tags = R"({"trainwarden:generation": "4", "trainwarden:parent": "p"})";
  EXPECT_EQ(judged({.job = failed, .tags = tags, .parent = failed}).doubts,
            (std::vector{Why::kLimit, Why::kSameFailure}));
  EXPECT_EQ(judged({.job = failed, .tags = tags}).doubts,
            (std::vector{Why::kLimit, Why::kParentGone}));
  EXPECT_EQ(judged({.job = failed, .tags = tags, .options = {.limit = 5}, .parent = failed}).doubts,
            std::vector{Why::kSameFailure});
  EXPECT_EQ(judged({.job = failed, .tags = R"({"trainwarden:generation": "x"})"}).doubts,
            std::vector{Why::kUnknownGeneration});
}

TEST(RestartByHandRules, A3_ACopyIsNotOlderThanTheEndWhateverIsWrittenLater) {
  const auto earliest = [](const char* json) {
    const auto document = json::Document::parse(json);
    return earliest_copy(read_training_job(document->root()));
  };
  const auto at = [](long epoch) { return std::optional(sys_seconds(seconds(epoch))); };
  EXPECT_EQ(earliest(R"({"CreationTime": 100, "TrainingEndTime": 200, "LastModifiedTime": 900})"),
            at(200));
  EXPECT_EQ(earliest(R"({"CreationTime": 100, "LastModifiedTime": 900, "SecondaryStatusTransitions":
                         [{"Status": "Starting", "StartTime": 100, "EndTime": 150},
                          {"Status": "Stopped", "StartTime": 150}]})"),
            at(150));
  EXPECT_EQ(earliest(R"({"CreationTime": 100, "LastModifiedTime": 900})"), at(100));
}

}  // namespace
}  // namespace trainwarden::rules::by_hand_test
