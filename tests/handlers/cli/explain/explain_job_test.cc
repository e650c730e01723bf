// `trainwarden explain JOB`, `diagnose JOB` and the seams of `lineage` on the in-process AWS (issue
// 17, 1): they ask what a function would ask, and change nothing.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "handlers/actions/table/items.h"
#include "handlers/cli/diagnose/diagnose_job_command.h"
#include "handlers/cli/explain/explain_command.h"
#include "handlers/cli/explain/explain_job_command.h"
#include "handlers/cli/lineage/lineage_command.h"
#include "tests/handlers/cli/aws_fixture.h"

namespace trainwarden::cli::explain_job_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::PlacedJob;

constexpr const char* kPolicy = R"({"version": 1, "mode": "enforce",
  "watches": {"gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum",
              "period_seconds": 300, "periods": 3, "at_most": 1, "missing": "notBreaching"}},
  "rules": [
  {"name": "required-tags", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
   "tags": {"model": [{"exists": false}]}}, "actions": ["stop"]},
  {"name": "bugs", "match": {"failure": {"label": ["user_code"]}}, "actions": ["notify"]},
  {"name": "idle", "match": {"alarm": {"watch": ["gpu-idle"], "state": ["ALARM"]}},
   "actions": ["stop"]},
  {"name": "ours", "match": {"event": {"account": ["111122223333"], "region": ["eu-central-1"]},
   "job": {"SecondaryStatus": ["Training"]}}, "actions": ["notify"]}]})";

class AskAws : public AwsFixture {
 protected:
  AskAws() : AwsFixture(kBegin) {}

  Printed explain(ExplainJobInputs inputs = {.job = "job-1", .policy = kPolicy}) {
    return with_apis([&](const actions::Apis& apis) { return explain_job(inputs, table_, apis); });
  }
  Printed diagnose(bool why = false) {
    return with_apis(
        [&](const actions::Apis& apis) { return diagnose_job({"job-1", why}, {}, apis); });
  }
  Printed tree(const std::string& job) {
    return with_apis([&](const actions::Apis& apis) { return lineage({job, {}}, {}, apis); });
  }

  void log(const std::string& line) {
    constexpr const char* kGroup = "/aws/sagemaker/TrainingJobs";
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"job-1/algo-1-1"}})", kGroup));
    const auto at = (clock_.now() - hours(1)).time_since_epoch().count();
    ASSERT_TRUE(aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"job-1/algo-1-1","logEvents":[{{"timestamp":{},"message":"{}"}}]}})",
            kGroup, at, line)));
  }
  void put(const std::string& metric, const std::string& dimension, const std::string& value,
           double number, sys_millis at) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"{}",)"
            R"("Dimensions":[{{"Name":"{}","Value":"{}"}}],"Timestamp":{},"Value":{}}}]}})",
            metric, dimension, value, at.time_since_epoch().count() / 1000, number)));
  }
  static std::string where(const Printed& printed) { return printed.output + printed.error; }

  static constexpr sys_millis kBegin{std::chrono::milliseconds(1'783'000'200'000)};
  std::optional<aws::Table> table_;
};

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
}

TEST_F(AskAws, WhyItFailedIsToldByTheEndOfItsLog) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  log("ModuleNotFoundError: No module named 'flash_attn'");
  const Printed printed = explain();
  EXPECT_TRUE(has(printed.output, "it failed")) << printed.output;
  EXPECT_TRUE(has(printed.output, "run it again: no")) << printed.output;
  EXPECT_TRUE(has(printed.output, "flash_attn"));
  EXPECT_TRUE(has(printed.output, "mend what it failed of first")) << printed.output;
  EXPECT_TRUE(has(printed.output, "bugs: notify")) << printed.output;
  const Printed diagnosis = diagnose(true);
  EXPECT_EQ(diagnosis.status, 0) << where(diagnosis);
  for (const char* const part : {R"("job":"job-1")", R"("resume":"no")", R"("why":[{)"})
    EXPECT_TRUE(has(diagnosis.output, part)) << diagnosis.output;
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(AskAws, ALogThatCannotBeReadIsSaid) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  aws_.refuse("FilterLogEvents", kDenied, 9);
  const Printed diagnosis = diagnose();
  EXPECT_EQ(diagnosis.status, 2);
  EXPECT_TRUE(has(diagnosis.error, "its log could not be read")) << diagnosis.error;
  EXPECT_FALSE(has(diagnosis.output, "label"));
}

// Secrets of the job do not come back as evidence.
TEST_F(AskAws, EvidenceShowsNoHyperparameter) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: ValueError: bad key hunter2hunter2",
                         "HyperParameters": {"key": "hunter2hunter2"})"});
  const Printed diagnosis = diagnose(true);
  EXPECT_EQ(diagnosis.output.find(R"("evidence":"ValueError: bad key hunter2)"), std::string::npos)
      << diagnosis.output;
}

TEST_F(AskAws, AJobThatHasNotFailedHasNoDiagnosis) {
  aws_.place({});
  const Printed diagnosis = diagnose();
  EXPECT_EQ(diagnosis.status, 0);
  EXPECT_TRUE(has(diagnosis.error, "has not failed"));
  EXPECT_FALSE(has(diagnosis.output, "label"));
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

// ---- where a copy goes on

constexpr const char* kLoss =
    R"(, "AlgorithmSpecification": {"TrainingImage": "i", "TrainingInputMode": "File",
        "MetricDefinitions": [{"Name": "loss", "Regex": "x"}, {"Name": "step", "Regex": "y"}]})";

TEST_F(AskAws, ASeamShowsTheLastValuesBeforeItAndTheFirstAfterIt) {
  aws_.place({.name = "run",
              .status = "Failed",
              .secondary = "Failed",
              .age = hours(10),
              .since = hours(3),
              .tags = {{"trainwarden:child", "run-r1-0a1b2c3d"}},
              .more = kLoss});
  aws_.place({.name = "run-r1-0a1b2c3d",
              .age = hours(2),
              .since = hours(2),
              .tags = {{"trainwarden:root", "run"},
                       {"trainwarden:parent", "run"},
                       {"trainwarden:generation", "1"}},
              .more = kLoss});
  const auto ago = [&](minutes some) { return clock_.now() - some; };
  put("loss", "TrainingJobName", "run", 2.5, ago(hours(4)));
  put("loss", "TrainingJobName", "run", 2.25, ago(hours(3) + minutes(5)));
  put("step", "TrainingJobName", "run", 41200, ago(hours(3) + minutes(5)));
  put("loss", "TrainingJobName", "run-r1-0a1b2c3d", 2.375, ago(hours(1) + minutes(50)));
  put("loss", "TrainingJobName", "run-r1-0a1b2c3d", 1.5, ago(minutes(50)));
  const Printed printed = tree("run");
  EXPECT_EQ(printed.status, 0) << where(printed);
  EXPECT_TRUE(has(printed.output, "      loss: 2.25 at 2026-07-02T10:45:00Z, then 2.375 at "))
      << printed.output;
  EXPECT_TRUE(has(printed.output, "      step: 41200 at ")) << printed.output;
  EXPECT_TRUE(has(printed.output, ", then none yet\n")) << printed.output;
  EXPECT_FALSE(aws_.wrote());
  aws_.refuse("GetMetricData", kDenied, 9);
  const Printed denied = tree("run");
  EXPECT_EQ(denied.status, 0);
  EXPECT_TRUE(has(denied.error, "no metrics at the seams:")) << denied.error;
  EXPECT_TRUE(has(denied.output, "run-r1-0a1b2c3d")) << denied.output;
}

// One that hung for days had its last value long before its end.
TEST_F(AskAws, TheLastValueBeforeALongSilenceIsFound) {
  aws_.place({.name = "run",
              .status = "Failed",
              .secondary = "Failed",
              .age = hours(24 * 6),
              .since = hours(3),
              .more = kLoss});
  aws_.place({.name = "run-r1-0a1b2c3d",
              .age = hours(2),
              .since = hours(2),
              .tags = {{"trainwarden:root", "run"}, {"trainwarden:parent", "run"}},
              .more = kLoss});
  put("loss", "TrainingJobName", "run", 2.5, clock_.now() - hours(24 * 4));
  put("loss", "TrainingJobName", "run-r1-0a1b2c3d", 2.75, clock_.now() - hours(1));
  const Printed printed = tree("run");
  EXPECT_TRUE(has(printed.output, "loss: 2.5 at 2026-06-28T")) << where(printed);
  EXPECT_TRUE(has(printed.output, ", then 2.75 at ")) << where(printed);
}

TEST_F(AskAws, JobsWithoutMetricsOfTheirOwnAreNotAskedAbout) {
  aws_.place({.name = "run", .status = "Failed", .secondary = "Failed"});
  aws_.place({.name = "run-r1-0a1b2c3d",
              .age = hours(1),
              .since = minutes(30),
              .tags = {{"trainwarden:root", "run"}, {"trainwarden:parent", "run"}}});
  EXPECT_EQ(tree("run").status, 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
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
