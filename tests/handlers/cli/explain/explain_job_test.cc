// `trainwarden explain JOB` on the in-process AWS (issue 17, 1): it asks what a function would ask,
// and changes nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "handlers/actions/table/items.h"
#include "handlers/cli/explain/explain_command.h"
#include "tests/handlers/cli/explain/ask_fixture.h"

namespace trainwarden::cli::explain_job_test {
namespace {

using ask_fixture::AskAws;
using ask_fixture::kPolicy;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;

TEST_F(AskAws, WhyAJobWasStoppedAndHowToGoOn) {
  aws_.place({.status = "Stopped",
              .secondary = "Stopped",
              .tags = {{"trainwarden:action", "stop"},
                       {"trainwarden:rule", "no-p5"},
                       {"trainwarden:reason", "p5 machines are booked"},
                       {"trainwarden:at", "2026-07-02T12:00:00Z"}}});
  const Printed printed = explain({.job = "job-1", .policy = kPolicy, .options = " --profile dev"});
  EXPECT_EQ(printed.status, 0) << where(printed);
  for (const char* const part :
       {"its tags say that Trainwarden stopped it", "rule      no-p5",
        "because   p5 machines are booked", "at        2026-07-02T12:00:00Z",
        "trainwarden restart job-1 --profile dev --dry-run\n",
        "trainwarden restart job-1 --profile dev\n"})
    EXPECT_TRUE(has(printed.output, part)) << part << "\n" << printed.output;
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(AskAws, WithoutAPolicyThereIsTheStoryAlone) {
  aws_.place({.status = "Stopped", .secondary = "Stopped"});
  const Printed printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "somebody stopped it")) << printed.output;
  EXPECT_TRUE(has(printed.output, "--policy FILE"));
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
}

// A job that reached its own limit was stopped by nobody, whatever its tags say.
TEST_F(AskAws, TagsOfAStopDoNotExplainAnotherEnd) {
  aws_.place({.status = "Stopped",
              .secondary = "MaxRuntimeExceeded",
              .tags = {{"trainwarden:action", "stop"}, {"trainwarden:rule", "forged"}}});
  Printed printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "at a limit of its own")) << printed.output;
  EXPECT_FALSE(has(printed.output, "Trainwarden stopped it"));
  aws_.place({.status = "Completed",
              .secondary = "Completed",
              .tags = {{"trainwarden:action", "stop"}, {"trainwarden:rule", "forged"}}});
  printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "it completed")) << printed.output;
  EXPECT_FALSE(has(printed.output, "how to go on"));
}

TEST_F(AskAws, AJobThatWasCopiedGoesOnThere) {
  aws_.place(
      {.status = "Stopped",
       .secondary = "Stopped",
       .tags = {{"trainwarden:action", "restart"}, {"trainwarden:child", "job-1-r1-0a1b2c3d"}}});
  const Printed printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "copied as job-1-r1-0a1b2c3d")) << printed.output;
  EXPECT_TRUE(has(printed.output, "trainwarden lineage job-1"));
  EXPECT_FALSE(has(printed.output, "trainwarden restart job-1"));
}

// As the function decides: what it would fetch, it fetches, and nothing else.
TEST_F(AskAws, WhatThePolicyNeedsIsFetchedAndDecidedOn) {
  aws_.place({});
  const Printed printed = explain();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.output, "required-tags: stop (enforce)")) << printed.output;
  EXPECT_TRUE(has(printed.output, "tags.model is absent"));
  EXPECT_TRUE(has(printed.output, "ours: notify")) << printed.output;
  EXPECT_FALSE(has(printed.output, "undecided"));
  EXPECT_FALSE(aws_.wrote());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(AskAws, F1_WhatCannotBeFetchedIsUnavailableAndNeverANo) {
  aws_.place({.tags = {{"model", "llama"}}});
  aws_.refuse("ListTags", kDenied, 9);
  const Printed printed = explain();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.output, "required-tags: skipped:")) << printed.output;
  EXPECT_TRUE(has(printed.output, "not authorized")) << printed.output;
  EXPECT_TRUE(has(printed.output, "its tags:")) << printed.output;
  aws_.refuse("ListTags", kDenied, 9);
  const Printed json = explain({.job = "job-1", .policy = kPolicy, .json = true});
  EXPECT_TRUE(has(json.output, R"("unavailable":"tags","unavailable_sources":["tags"])"))
      << json.output;
}

TEST_F(AskAws, NoSuchJob) {
  for (const Printed& printed : {explain(), diagnose()}) {
    EXPECT_EQ(printed.status, 2);
    EXPECT_TRUE(has(printed.error, "no training job of that name in eu-central-1"))
        << printed.error;
  }
  EXPECT_EQ(explain({.job = "a/b"}).status, 2);
  EXPECT_EQ(explain({.job = "job-1", .policy = R"({"version": 1, "rules": 7})"}).status, 1);
}

// W4, as the alarm function would: every host is measured again.
TEST_F(AskAws, W4_AnAlarmOfTheJobsIsConfirmedBeforeItCounts) {
  aws_.place({.tags = {{"model", "llama"}}});
  ASSERT_TRUE(aws_.call("PutMetricAlarm",
                        R"({"AlarmName": "trainwarden/job-1/gpu-idle", "Namespace": "x",
      "MetricName": "y", "Statistic": "Maximum", "Period": 60, "EvaluationPeriods": 1,
      "Threshold": 1, "ComparisonOperator": "GreaterThanThreshold"})"));
  ASSERT_TRUE(aws_.call("SetAlarmState",
                        R"({"AlarmName": "trainwarden/job-1/gpu-idle", "StateValue": "ALARM",
                            "StateReason": "test"})"));
  Printed printed = explain();
  EXPECT_TRUE(has(printed.output, "its alarm trainwarden/job-1/gpu-idle is in ALARM"))
      << printed.output;
  EXPECT_TRUE(has(printed.output, "the alarm is not confirmed")) << printed.output;
  for (int period = 1; period <= 4; ++period)
    put("GPUUtilization", "Host", "job-1/algo-1", 0,
        std::chrono::floor<minutes>(clock_.now()) - seconds(300) * period);
  printed = explain();
  EXPECT_TRUE(has(printed.output, "idle: stop (enforce)")) << printed.output;
}

// An absent list would say that no alarm is in ALARM.
TEST_F(AskAws, W4_AlarmsThatCannotBeAskedAreNotAbsent) {
  aws_.place({.tags = {{"model", "llama"}}});
  aws_.refuse("DescribeAlarms", kDenied, 9);
  EXPECT_TRUE(has(explain().output, "whether its alarms are in ALARM could not be asked:"));
  const Printed printed = explain({.job = "job-1", .policy = kPolicy, .json = true});
  EXPECT_EQ(printed.status, 0) << printed.error;
  const auto document = json::Document::parse(printed.output);
  ASSERT_TRUE(document) << printed.output;
  const auto why = document->root().find("alarms_not_read");
  ASSERT_TRUE(why) << printed.output;
  EXPECT_TRUE(has(std::string(why->as_string()), "not authorized")) << printed.output;
  EXPECT_FALSE(document->root().find("alarms"));
}

TEST_F(AskAws, TheTableIsReadWhereItIsNamed) {
  aws_.place({});
  table_ = testing::state_table();
  EXPECT_TRUE(has(explain().output, "the state table, which only the functions write"));
  EXPECT_EQ(aws_.count("GetItem"), 1);
  EXPECT_EQ(aws_.count("PutItem"), 0);
  aws_.refuse("GetItem", kDenied, 9);
  const Printed printed = explain();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.output, "the state table:")) << printed.output;
}

// P8: tags explain, the table decides.
TEST_F(AskAws, TheTableCountsMoreThanTags) {
  aws_.place({.status = "Stopped",
              .secondary = "Stopped",
              .tags = {{"trainwarden:action", "stop"}, {"trainwarden:rule", "forged"}}});
  table_ = testing::state_table();
  Printed printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "the state table knows nothing of it")) << printed.output;
  actions::Config config;
  config.table = table_;
  const aws::CallContext context{clock_.in(minutes(2)), {}, nullptr};
  const actions::Apis functions(client_, clock_, context, config);
  const auto described =
      functions.sagemaker.describe_training_job(*aws::JobName::parse("job-1"), context);
  ASSERT_TRUE(described);
  const auto id = actions::job_item_id(rules::read_training_job(described->root()));
  ASSERT_TRUE(actions::change_job_item(*id, functions, [](rules::JobItem item, sys_seconds now) {
    item.stop = rules::StopRecord{"no-p5", "p5 is booked", now, true};
    return item;
  }));
  printed = explain({.job = "job-1"});
  EXPECT_TRUE(has(printed.output, "Trainwarden stopped it")) << printed.output;
  EXPECT_FALSE(has(printed.output, "its tags say")) << printed.output;
  EXPECT_TRUE(has(printed.output, "rule      no-p5")) << printed.output;
  EXPECT_FALSE(has(printed.output, "forged")) << printed.output;
}

TEST_F(AskAws, TextsOfOthersDoNotReachTheTerminalAsTheyAre) {
  aws_.place({.status = "Stopped",
              .secondary = "Stopped",
              .tags = {{"trainwarden:action", "stop"},
                       {"trainwarden:rule", "a\x1b[2Jb"},
                       {"trainwarden:reason", "c\nd"}}});
  const Printed printed = explain({.job = "job-1"});
  EXPECT_EQ(printed.output.find('\x1b'), std::string::npos);
  EXPECT_TRUE(has(printed.output, "\\u001B[2J")) << printed.output;
  EXPECT_FALSE(has(printed.output, "\nd"));
}

TEST_F(AskAws, JsonHasTheStoryAndTheDecision) {
  aws_.place({});
  const Printed printed = explain({.job = "job-1", .policy = kPolicy, .json = true});
  const auto document = json::Document::parse(printed.output);
  ASSERT_TRUE(document) << printed.output;
  EXPECT_EQ(document->root().find("end")->as_string(), "runs");
  EXPECT_EQ(document->root().find("decided")->find("decisions")->size(), 2U);
}

// ---- from files

TEST(ExplainFiles, TheEventIsDerivedFromTheDescription) {
  ExplainInputs given;
  given.policy = kPolicy;
  given.job = R"({"TrainingJobName": "job-1", "TrainingJobStatus": "InProgress",
      "SecondaryStatus": "Training", "CreationTime": 1783000000,
      "TrainingJobArn": "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1"})";
  given.tags = "{}";
  given.now = sys_seconds(seconds(1'783'000'600));
  const Printed printed = cli::explain(given);
  EXPECT_EQ(printed.status, 0) << printed.error;
  EXPECT_NE(printed.output.find("required-tags: stop (enforce)"), std::string::npos)
      << printed.output;
  EXPECT_NE(printed.output.find("ours: notify"), std::string::npos) << printed.output;
  given.job = "{}";
  EXPECT_EQ(cli::explain(given).status, 2);
}

}  // namespace
}  // namespace trainwarden::cli::explain_job_test
