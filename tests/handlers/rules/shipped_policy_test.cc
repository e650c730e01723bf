// handlers/policy.json, and every ```jsonc block of handlers/policy.md as it stands in the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarm_plan.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules {
namespace {

using test::doc;
using test::kNow;

std::vector<std::string> blocks() {
  const std::string text = test::read_file("handlers/policy.md");
  constexpr std::string_view kOpen = "```jsonc\n";
  std::vector<std::string> out;
  for (std::size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
    at += kOpen.size();
    const std::size_t end = text.find("```", at);
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

// A rule of the cookbook, and the policy that it is tested in: its block, if that is a whole
// policy, else one of the rule alone.
struct Recipe {
  std::string policy;
  std::size_t index = 0;
};

std::map<std::string, Recipe> cookbook() {
  std::map<std::string, Recipe> out;
  bool first = true;  // the first block shows the file
  for (const std::string& block : blocks()) {
    const json::Document document = doc(block);
    if (const auto name = document.root().find("name")) {
      out[std::string(name->as_string())] = {R"({"version": 1, "rules": [)" + block + "]}", 0};
    } else if (!first) {
      std::size_t index = 0;
      for (json::Value rule : document.root().find("rules")->elements()) {
        out[std::string(rule.find("name")->as_string())] = {block, index++};
      }
    }
    first = false;
  }
  const std::string shipped = test::read_file("handlers/policy.json");
  const json::Document document = doc(shipped);
  std::size_t index = 0;
  for (json::Value rule : document.root().find("rules")->elements())
    out["shipped/" + std::string(rule.find("name")->as_string())] = {shipped, index++};
  return out;
}

TEST(ShippedPolicy, LoadsWithoutWarningsAndObserves) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  EXPECT_EQ(policy.mode(), Mode::kObserve);
  EXPECT_EQ(policy.warnings().size(), 0U);
  std::vector<std::string> names;
  for (const Rule& rule : policy.rules()) names.push_back(rule.name);
  ASSERT_EQ(names, (std::vector<std::string>{"required-tags", "watch-gpus", "stop-idle",
                                             "spot-needs-checkpoints", "spot-interrupted-too-often",
                                             "spot-makes-no-progress", "spot-waited-in-vain",
                                             "no-spot-today", "resume-failed", "own-fault"}));
  EXPECT_EQ(test::kinds(policy.rules()[0].actions),
            (std::vector{ActionKind::kStop, ActionKind::kNotify}));
  EXPECT_FALSE(policy.rules()[0].message.empty());
}

TEST(ShippedPolicy, StopsTheUntaggedJobOnly) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  JobEvent starting = test::running();
  starting.secondary_status = "Starting";
  Sources sources(starting);
  const Evaluation first = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  // The spot rules look at Describe while a job starts.
  EXPECT_EQ(first.needs.names(), "describe, tags");
  sources.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
    "InstanceCount": 1}})"));
  sources.set(Source::kTags, doc("{}"));
  const Evaluation second = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  ASSERT_EQ(second.decisions.size(), 1U);
  EXPECT_TRUE(second.decisions[0].rests_on_absent_tag);
  sources.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  EXPECT_TRUE(decide(policy, facts_from(sources, kNow), Mode::kEnforce).decisions.empty());
}

TEST(ShippedPolicy, WatchesGpusAndStopsTheJobWhoseGpusIdle) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  Sources training(test::running());
  training.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  training.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
    "InstanceCount": 1}})"));
  const Evaluation begins = decide(policy, facts_from(training, kNow), Mode::kEnforce);
  ASSERT_EQ(begins.decisions.size(), 1U);
  EXPECT_EQ(begins.decisions[0].actions[0].watches, std::vector<std::string>{"gpu-idle"});
  JobEvent alarm = test::running();
  alarm.alarm = {"trainwarden/train-1/gpu-idle", "gpu-idle", "ALARM"};
  Sources idle(alarm);
  idle.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  idle.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.c5.xlarge",
    "InstanceCount": 1}})"));
  const Evaluation calls = decide(policy, facts_from(idle, kNow), Mode::kEnforce);
  ASSERT_EQ(calls.decisions.size(), 1U);
  EXPECT_EQ(calls.decisions[0].rule, "stop-idle");
}

TEST(Cookbook, EveryBlockLoadsWithoutWarnings) {
  ASSERT_GE(blocks().size(), 5U);
  for (const std::string& block : blocks()) {
    const bool whole = doc(block).root().find("version").has_value();
    const std::string text = whole ? block : R"({"version": 1, "rules": [)" + block + "]}";
    const auto policy = parse_policy(text);
    ASSERT_TRUE(policy) << policy.error().message << "\n" << block;
    EXPECT_EQ(policy->warnings().size(), 0U) << block;
  }
}

struct Case {
  std::string_view rule;
  std::string_view describe;  // beside TrainingJobStatus InProgress, unless it says otherwise
  std::string_view tags;
  bool holds;
  std::string_view alarm = "";
  std::string_view now = "2027-03-04T12:00:00Z";  // a Thursday
  std::string_view fleet = R"({"spot_timeouts_24h": 0})";
  std::string_view log = "";
};

constexpr Case kCases[] = {
    {"model-and-team", "", R"({"model_name": "llm", "team": "vision"})", false},
    {"model-and-team", "", R"({"model_name": "llm"})", true},
    {"model-and-team", "", R"({"team": "vision"})", true},
    {"model-and-team", "", R"({"model_name": "llm", "team": ""})", true},
    {"model-and-team", R"("TrainingJobStatus": "Completed")", "{}", false},
    {"spot-needs-checkpoints", R"("EnableManagedSpotTraining": true)", "{}", true},
    {"spot-needs-checkpoints",
     R"("EnableManagedSpotTraining": true, "CheckpointConfig": {"S3Uri": "s3://b/c/"})", "{}",
     false},
    {"spot-needs-checkpoints", R"("EnableManagedSpotTraining": false)", "{}", false},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})", "{}", true},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
     R"({"approved_by": "platform"})", false},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
     R"({"approved_by": "myself"})", true},
    {"large-machines-need-approval",
     R"("ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.m5.large", "InstanceCount": 1},
        {"InstanceType": "ml.p5en.48xlarge", "InstanceCount": 1}]})",
     "{}", true},
    {"large-machines-need-approval", R"("ResourceConfig": {"InstanceType": "ml.g5.xlarge"})", "{}",
     false},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": false)", R"({"data": "customer"})",
     true},
    {"customer-data-is-isolated", "", R"({"data": "restricted"})", true},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": true)", R"({"data": "customer"})",
     false},
    {"customer-data-is-isolated", R"("EnableNetworkIsolation": false)", R"({"data": "public"})",
     false},
    {"production-failed", R"("TrainingJobStatus": "Failed")", R"({"stage": "production"})", true},
    {"production-failed", R"("TrainingJobStatus": "Failed")", R"({"stage": "test"})", false},
    {"production-failed", "", R"({"stage": "production"})", false},
    {"vision-uses-g5", R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"})",
     R"({"team": "vision"})", true},
    {"vision-uses-g5", R"("ResourceConfig": {"InstanceType": "ml.g5.12xlarge"})",
     R"({"team": "vision"})", false},
    {"vision-uses-g5", R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"})",
     R"({"team": "speech"})", false},
    {"vision-uses-g5",
     R"("ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.g5.xlarge"},
        {"InstanceType": "ml.m5.large"}]})",
     R"({"team": "vision"})", true},
    {"known-team", "", R"({"team": "Vision"})", false},
    {"known-team", "", R"({"team": "visions"})", true},
    {"known-team", "", "{}", false},
    {"at-most-16-machines",
     R"("ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.g5.xlarge", "InstanceCount": 12},
        {"InstanceType": "ml.m5.large", "InstanceCount": 5}]})",
     "{}", true},
    {"at-most-16-machines",
     R"("ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 16})", "{}", false},
    {"at-most-three-days", R"("TrainingStartTime": "2027-03-01T11:59:00Z")", "{}", true},
    {"at-most-three-days", R"("TrainingStartTime": "2027-03-01T12:01:00Z")", "{}", false},
    {"at-most-three-days", R"("CreationTime": "2027-01-01T00:00:00Z")", "{}", false},
    {"max-runtime-is-a-week", R"("StoppingCondition": {"MaxRuntimeInSeconds": 700000})", "{}",
     true},
    {"max-runtime-is-a-week", R"("StoppingCondition": {"MaxRuntimeInSeconds": 604800})", "{}",
     false},
    {"expensive-needs-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})", "{}", true},
    {"expensive-needs-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 8})",
     R"({"approved_by": "platform"})", false},
    {"expensive-needs-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1})", "{}", false},
    {"expensive-needs-approval",
     R"("ResourceConfig": {"InstanceType": "ml.p6.48xlarge", "InstanceCount": 99})", "{}", false},
    {"spent-10000",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8},
        "TrainingTimeInSeconds": 206000)",
     "{}", true},
    {"spent-10000",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8},
        "TrainingTimeInSeconds": 204000)",
     "{}", false},
    {"no-spot-for-speech", R"("EnableManagedSpotTraining": true)", R"({"team": "speech"})", true},
    {"no-spot-for-speech", "", R"({"team": "speech"})", false},
    {"no-spot-for-speech", R"("EnableManagedSpotTraining": true)", R"({"team": "vision"})", false},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", true, "", "2027-03-04T22:00:00Z"},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", true, "", "2027-03-06T12:00:00Z"},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", false},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.c5.xlarge", "InstanceCount": 1})",
     "{}", false, "", "2027-03-04T05:59:00Z"},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     R"({"night_run": "yes"})", false, "", "2027-03-04T05:59:00Z"},
    {"no-gpus-at-night",
     R"("SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", false, "", "2027-03-04T05:59:00Z"},
    {"no-warm-pools", R"("ResourceConfig": {"KeepAlivePeriodInSeconds": 600})", "{}", true},
    {"no-warm-pools", R"("ResourceConfig": {"KeepAlivePeriodInSeconds": 0})", "{}", false},
    {"no-warm-pools", "", "{}", false},
    {"approved-images",
     R"("AlgorithmSpecification": {"TrainingImage": "docker.io/library/pytorch:2"})", "{}", true},
    {"approved-images",
     R"("AlgorithmSpecification": {"TrainingImage": "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-training:2.5"})",
     "{}", false},
    {"approved-images",
     R"("AlgorithmSpecification": {"TrainingImage": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/ours:1"})",
     "{}", false},
    {"inside-the-vpc", "", "{}", true},
    {"inside-the-vpc", "", "{}", false, "", "2026-12-31T23:59:59Z"},
    {"inside-the-vpc", R"("AutoMLJobArn": "arn:aws:sagemaker:eu-west-1:111122223333:automl-job/a")",
     "{}", false},
    {"inside-the-vpc", R"("VpcConfig": {"Subnets": ["subnet-1"]})", "{}", false},
    {"watch-gpu-use",
     R"("SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.g5.xlarge"})", "{}",
     true},
    {"watch-gpu-use",
     R"("SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.trn1.2xlarge"})",
     "{}", false},
    {"shipped/watch-gpus", R"("SecondaryStatus": "Training",
      "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", true},
    {"shipped/watch-gpus", R"("SecondaryStatus": "Downloading",
      "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1})",
     "{}", false},
    {"shipped/watch-gpus", R"("SecondaryStatus": "Training",
      "ResourceConfig": {"InstanceType": "ml.m5.xlarge", "InstanceCount": 1})",
     "{}", false},
    {"shipped/stop-idle", "", "{}", true, "gpu-idle"},
    {"shipped/stop-idle", "", "{}", false, "heartbeat"},
    {"tell-gpu-below-80", "", "{}", true, "gpu-below-80"},
    {"tell-gpu-below-80", "", "{}", false, "gpu-idle"},
    {"stop-gpu-idle", "", "{}", true, "gpu-idle"},
    {"stop-gpu-idle", "", "{}", false},
    {"watch-progress", R"("SecondaryStatus": "Training")", "{}", true},
    {"watch-progress", R"("SecondaryStatus": "Downloading")", "{}", false},
    {"stop-hang-or-spike", "", "{}", true, "heartbeat"},
    {"stop-hang-or-spike", "", "{}", true, "loss-spike"},
    {"stop-hang-or-spike", "", "{}", false, "loss-plateau"},
    {"tell-loss-plateau", "", "{}", true, "loss-plateau"},
    {"tell-loss-plateau", "", "{}", false, "heartbeat"},
    {"restart-slow", R"("CheckpointConfig": {"S3Uri": "s3://b/c/"})", "{}", true,
     "throughput-drop"},
    {"restart-slow", "", "{}", false, "throughput-drop"},
    {"restart-slow", R"("CheckpointConfig": {"S3Uri": "s3://b/c/"})", "{}", false, "heartbeat"},
    {"watch-disks", R"("SecondaryStatus": "Training")", "{}", true},
    {"watch-disks", R"("SecondaryStatus": "Starting")", "{}", false},
    {"tell-disk-nearly-full", "", "{}", true, "disk-nearly-full"},
    {"tell-disk-nearly-full", "", "{}", false, "gpu-idle"},
    {"resume-after-aws",
     R"("TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision")",
     "{}", true},
    {"resume-after-aws",
     R"("TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision")",
     R"({"restart": "no"})", false},
    {"resume-after-aws",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}",
     false},
    {"spot-makes-no-progress",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted"}, {"Status": "Interrupted"},
        {"Status": "Interrupted"}, {"Status": "Interrupted"},
        {"Status": "Training", "StartTime": "2027-03-04T01:00:00Z", "EndTime": "2027-03-04T02:00:00Z"}])",
     "{}", true},
    {"spot-makes-no-progress",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted"}, {"Status": "Interrupted"},
        {"Status": "Interrupted"}, {"Status": "Interrupted"},
        {"Status": "Training", "StartTime": "2027-03-04T01:00:00Z", "EndTime": "2027-03-04T09:00:00Z"}])",
     "{}", false},
    {"spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T02:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T06:00:00Z"}])",
     "{}", true},
    {"spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T02:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T08:00:00Z"}])",
     "{}", false},
    {"spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T06:00:00Z"}])",
     "{}", false},
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T02:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T06:00:00Z"}])",
     "{}", true},
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T02:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T08:00:00Z"}])",
     "{}", false},
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-04T01:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T06:00:00Z"}])",
     "{}", false},
    // Once on the first day, then thick.
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-01T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-01T16:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:10:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:20:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:30:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:40:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:50:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:10:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:20:00Z"}])",
     "{}", true},
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-01T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-01T16:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:10:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:20:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:30:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:40:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:50:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:10:00Z"}])",
     "{}", false},
    {"shipped/spot-interrupted-too-often",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-01T00:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": "2027-03-01T06:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:10:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:20:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:30:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:40:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T10:50:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:00:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:10:00Z"},
        {"Status": "Interrupted", "StartTime": "2027-03-04T11:20:00Z"}])",
     "{}", false},
    {"shipped/spot-makes-no-progress",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T08:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": "2027-03-04T10:00:00Z",
        "EndTime": "2027-03-04T11:30:00Z"}, {"Status": "Interrupted"}])",
     "{}", true},
    {"shipped/spot-makes-no-progress",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T09:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": "2027-03-04T10:00:00Z",
        "EndTime": "2027-03-04T11:30:00Z"}, {"Status": "Interrupted"}])",
     "{}", false},
    {"shipped/spot-makes-no-progress",
     R"("SecondaryStatus": "Interrupted", "CreationTime": "2027-03-04T08:00:00Z",
        "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": "2027-03-04T10:00:00Z",
        "EndTime": "2027-03-04T11:59:00Z"}, {"Status": "Interrupted"}])",
     "{}", true},
    {"spot-waited-in-vain",
     R"("TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded")", "{}", true},
    {"spot-waited-in-vain", R"("TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped")", "{}",
     false},
    {"shipped/spot-waited-in-vain",
     R"("TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded")", "{}", true},
    {"shipped/spot-waited-in-vain",
     R"("TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped")", "{}", false},
    {"no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)", "{}",
     true, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 3})"},
    {"no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)", "{}",
     false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 2})"},
    {"no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": false)", "{}",
     false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 3})"},
    {"shipped/no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)",
     "{}", true, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 3})"},
    {"shipped/no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)",
     "{}", false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 2})"},
    {"shipped/no-spot-today",
     R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": false)", "{}", false, "",
     "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 3})"},
    {"no-spot-today", R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)",
     R"({"patient": "yes"})", false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 3})"},
    {"shipped/required-tags", "", "{}", true},
    {"shipped/required-tags", "", R"({"model_name": "x"})", false},
    {"shipped/spot-needs-checkpoints",
     R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true)", "{}", true},
    {"shipped/spot-needs-checkpoints",
     R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": true, "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", false},
    {"shipped/spot-needs-checkpoints",
     R"("SecondaryStatus": "Starting", "EnableManagedSpotTraining": false)", "{}", false},
    {"shipped/spot-needs-checkpoints",  // its start may have been missed
     R"("SecondaryStatus": "Training", "EnableManagedSpotTraining": true)", "{}", true},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision")",
     "{}", true},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision")",
     R"({"restart": "no"})", false},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1", "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", true},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1", "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})", "KeyError: 'loss'"},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1", "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", true, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})",
     "CUDA error: uncorrectable ECC error"},
    {"shipped/resume-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}",
     false},  // it would begin anew
    {"shipped/own-fault",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}", true,
     "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})", "KeyError: 'loss'"},
    {"shipped/own-fault",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}",
     false},  // nobody knows
    {"resume-long-runs",
     R"("TrainingJobStatus": "Failed", "FailureReason": "InternalServerError: x", "TrainingTimeInSeconds": 176400, "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", true},
    {"resume-long-runs",
     R"("TrainingJobStatus": "Failed", "FailureReason": "InternalServerError: x", "TrainingTimeInSeconds": 600, "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", false},
    {"resume-long-runs",
     R"("TrainingJobStatus": "Failed", "FailureReason": "InternalServerError: x", "TrainingTimeInSeconds": 176400)",
     "{}", false},
    {"resume-long-runs",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1", "TrainingTimeInSeconds": 176400, "CheckpointConfig": {"S3Uri": "s3://b/c/"})",
     "{}", false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})", "CUDA out of memory."},
    {"own-fault",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}", true,
     "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})", "KeyError: 'loss'"},
    {"own-fault",
     R"("TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision")",
     "{}", false},
    {"hardware-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}", true,
     "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})",
     "CUDA error: uncorrectable ECC error"},
    {"hardware-failed",
     R"("TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1")", "{}",
     false, "", "2027-03-04T12:00:00Z", R"({"spot_timeouts_24h": 0})", "KeyError: 'loss'"},
};

TEST(Cookbook, RulesHoldForTheJobsTheyMean) {
  const std::map<std::string, Recipe> rules = cookbook();
  std::set<std::string> tested;
  std::set<std::string> held;
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.rule) + " " + std::string(c.describe) + " " + std::string(c.tags));
    const auto rule = rules.find(std::string(c.rule));
    ASSERT_NE(rule, rules.end());
    tested.insert(rule->first);
    if (c.holds) held.insert(rule->first);
    std::string describe = "{";
    if (c.describe.find("TrainingJobStatus") == std::string_view::npos) {
      describe += R"("TrainingJobStatus": "InProgress",)";
    }
    JobEvent event = test::running();
    if (!c.alarm.empty()) event.alarm = {"trainwarden/train-1/w", std::string(c.alarm), "ALARM"};
    Sources sources(event);
    sources.set(Source::kDescribe, doc(describe + std::string(c.describe) + "}"));
    sources.set(Source::kTags, doc(c.tags));
    sources.set(Source::kFleet, doc(c.fleet));
    sources.set(Source::kLogs, doc(R"({"tail": [")" + std::string(c.log) + "\"]}"));
    const Policy policy = test::policy(rule->second.policy);
    const Facts facts = facts_from(sources, policy.prices(), *parse_rfc3339(c.now));
    const Truth verdict = evaluate_rule(policy, rule->second.index, facts, Mode::kEnforce).verdict;
    EXPECT_EQ(name(verdict), c.holds ? "true" : "false");
  }
  EXPECT_GE(rules.size(), 15U);
  for (const auto& [name, recipe] : rules) {
    EXPECT_TRUE(tested.contains(name)) << name;
    EXPECT_TRUE(held.contains(name)) << name;
  }
}

// What the recipes for alarms come to on eight ml.p4d.24xlarge, eight GPUs each.
struct RecipeAlarm {
  const char* watch;
  const char* expression;  // empty: the metric itself
  const char* statistic;
  const char* comparison;
  double threshold;
  int seconds;  // that must breach
  const char* missing;
};

constexpr RecipeAlarm kRecipeAlarms[] = {
    {"gpu-idle", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "Maximum", "LessThanOrEqualToThreshold", 8, 1800,
     "notBreaching"},
    {"gpu-below-80", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "Average", "LessThanThreshold", 640, 3600,
     "notBreaching"},
    {"heartbeat", "", "SampleCount", "LessThanThreshold", 1, 1800, "breaching"},
    {"loss-spike", "", "Minimum", "GreaterThanThreshold", 20, 900, "notBreaching"},
    {"loss-plateau", "", "Minimum", "GreaterThanOrEqualToThreshold", 2.5, 21600, "notBreaching"},
    {"throughput-drop", "", "p50", "LessThanThreshold", 800, 1500, "notBreaching"},
    {"disk-nearly-full", "MAX([m1,m2,m3,m4,m5,m6,m7,m8])", "Maximum",
     "GreaterThanOrEqualToThreshold", 90, 300, "notBreaching"},
};

std::vector<Watch> recipe_watches() {
  std::vector<Watch> out;
  const auto add = [&out](const std::string& text) {
    const Policy policy = test::policy(text);
    out.insert(out.end(), policy.watches().begin(), policy.watches().end());
  };
  add(test::read_file("handlers/policy.json"));
  bool first = true;
  for (const std::string& block : blocks()) {
    if (!first && doc(block).root().find("watches")) add(block);
    first = false;
  }
  return out;
}

TEST(Cookbook, W1_WatchesBecomeTheAlarmsTheyMean) {
  const json::Document describe = doc(R"({
    "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8},
    "AlgorithmSpecification": {"MetricDefinitions": [{"Name": "train:loss", "Regex": "x"},
      {"Name": "train:samples_per_second", "Regex": "y"}]}})");
  std::set<std::string> tested;
  std::vector<std::string> bodies;
  for (const Watch& watch : recipe_watches()) {
    SCOPED_TRACE(watch.name);
    const auto* const wanted =
        std::ranges::find(kRecipeAlarms, watch.name, [](const RecipeAlarm& a) { return a.watch; });
    ASSERT_NE(wanted, std::end(kRecipeAlarms));
    tested.insert(watch.name);
    const AlarmPlan plan = plan_alarms(watch, "train-1", describe.root(), "arn:aws:sns:x:1:t");
    ASSERT_EQ(plan.alarms.size(), 1U) << plan.none;
    bodies.push_back(plan.alarms[0].body);
    const json::Document body = doc(bodies.back());
    const json::Value alarm = body.root();
    std::vector<json::Value> metrics;
    if (const auto list = alarm.find("Metrics"))
      for (const json::Value metric : list->elements()) metrics.push_back(metric);
    EXPECT_EQ(metrics.empty() ? "" : metrics[0].find("Expression")->as_string(),
              wanted->expression);
    const json::Value of = metrics.empty() ? alarm : *metrics[1].find("MetricStat");
    const auto extended = alarm.find("ExtendedStatistic");
    EXPECT_EQ((!metrics.empty() ? *of.find("Stat")
               : extended       ? *extended
                                : *of.find("Statistic"))
                  .as_string(),
              wanted->statistic);
    EXPECT_EQ(alarm.find("ComparisonOperator")->as_string(), wanted->comparison);
    EXPECT_EQ(alarm.find("Threshold")->as_number(), wanted->threshold);
    EXPECT_EQ(of.find("Period")->as_number() * alarm.find("DatapointsToAlarm")->as_number(),
              wanted->seconds);
    EXPECT_EQ(alarm.find("TreatMissingData")->as_string(), wanted->missing);
  }
  EXPECT_EQ(tested.size(), std::size(kRecipeAlarms));
  test::record_alarm_requests(bodies);
}

}  // namespace
}  // namespace trainwarden::rules
