// The fact groups, F1–F4: hand-made corner cases first, then AWS's samples where they are at hand.
#include "handlers/rules/facts/facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/job/instances.h"
#include "tests/handlers/rules/facts/facts_support.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::facts_test {
namespace {

using facts_support::kNow;
using facts_support::leaves;
using facts_support::leaves_by_name;
using test::doc;

struct Case {
  std::string_view why;
  Group group;
  std::string_view describe;
  std::string_view tags;
  std::string_view leaves;
};

// kNow is 1783000600.
constexpr Case kCases[] = {
    {"one instance type", Group::kResources,
     R"({"ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2}})", "",
     "accelerator = gpu; gpus = 16; gpus_per_instance = 8; instance_count = 2; instance_types = "
     "ml.p4d.24xlarge; spot = false"},
    {"instance groups, and the zeros that stand beside them", Group::kResources,
     R"({"ResourceConfig": {"InstanceType": null, "InstanceCount": 0, "InstanceGroups": [
         {"InstanceType": "ml.g5.12xlarge", "InstanceCount": 2, "InstanceGroupName": "a"},
         {"InstanceType": "ml.c5.xlarge", "InstanceCount": 3, "InstanceGroupName": "b"}]},
         "EnableManagedSpotTraining": true})",
     "",
     "accelerator = gpu; gpus = 8; gpus_per_instance = 4; gpus_per_instance = 0; instance_count = "
     "5; instance_types = ml.g5.12xlarge; instance_types = ml.c5.xlarge; spot = true"},
    {"Trainium has no GPUs", Group::kResources,
     R"({"ResourceConfig": {"InstanceType": "ml.trn1.32xlarge", "InstanceCount": 1}})", "",
     "accelerator = neuron; gpus = 0; gpus_per_instance = 0; instance_count = 1; instance_types = "
     "ml.trn1.32xlarge; spot = false"},
    {"F4: the GPUs of an unlisted type are not known, and its name tells that it has some",
     Group::kResources,
     R"({"ResourceConfig": {"InstanceType": "ml.p9.96xlarge", "InstanceCount": 4}})", "",
     "accelerator = gpu; instance_count = 4; instance_types = ml.p9.96xlarge; spot = false"},
    {"F4: nor is the accelerator where the name does not tell it", Group::kResources,
     R"({"ResourceConfig": {"InstanceType": "ml.x9.96xlarge", "InstanceCount": 4}})", "",
     "instance_count = 4; instance_types = ml.x9.96xlarge; spot = false"},
    {"F4: of several types one that is known to have GPUs is enough", Group::kResources,
     R"({"ResourceConfig": {"InstanceGroups": [
         {"InstanceType": "ml.x9.96xlarge", "InstanceCount": 4},
         {"InstanceType": "ml.g5.xlarge", "InstanceCount": 4}]}})",
     "",
     "accelerator = gpu; instance_count = 8; instance_types = ml.x9.96xlarge; instance_types = "
     "ml.g5.xlarge; spot = false"},
    {"F4: a family without GPUs has none in any size", Group::kResources,
     R"({"ResourceConfig": {"InstanceType": "ml.m5.8xlarge", "InstanceCount": 1}})", "",
     "accelerator = none; gpus = 0; gpus_per_instance = 0; instance_count = 1; instance_types = "
     "ml.m5.8xlarge; spot = false"},
    {"F16: serverless is told by its own member", Group::kResources,
     R"({"ServerlessJobConfig": {"JobType": "FineTuning"}})", "", "spot = false"},
    {"F16: and not by the absence of others", Group::kResources, "{}", "", "spot = false"},
    {"never started: queued until now", Group::kRuntime,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783000000,
         "TrainingStartTime": null, "StoppingCondition": {"MaxRuntimeInSeconds": 3600}})",
     "", "elapsed_seconds = 600; queued_seconds = 600; remaining_seconds = 3600"},
    {"never started, and ended so", Group::kRuntime,
     R"({"TrainingJobStatus": "Failed", "CreationTime": 1783000000, "LastModifiedTime": 1783000200})",
     "", "elapsed_seconds = 200; queued_seconds = 200; remaining_seconds = 0"},
    {"runs; times in milliseconds and in texts", Group::kRuntime,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": "1783000000000",
         "TrainingStartTime": 1783000100000, "StoppingCondition": {"MaxRuntimeInSeconds": 3600}})",
     "",
     "elapsed_seconds = 600; queued_seconds = 100; remaining_seconds = 3100; training_seconds = "
     "500"},
    {"49 hours are 49 hours", Group::kRuntime,
     R"({"TrainingJobStatus": "Completed", "CreationTime": 1782800000,
         "TrainingStartTime": 1782800100, "TrainingEndTime": 1782976500})",
     "",
     "elapsed_seconds = 176500; queued_seconds = 100; remaining_seconds = 0; training_seconds = "
     "176400"},
    {"TrainingTimeInSeconds counts more", Group::kRuntime,
     R"({"TrainingJobStatus": "Completed", "CreationTime": 1782800000, "TrainingTimeInSeconds": 5,
         "TrainingStartTime": 1782800100, "TrainingEndTime": 1782976500})",
     "",
     "elapsed_seconds = 176500; queued_seconds = 100; remaining_seconds = 0; training_seconds = 5"},
    {"F3: an unknown secondary status ends nothing", Group::kRuntime,
     R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Hibernating",
         "CreationTime": 1783000000, "TrainingStartTime": 1783000000})",
     "",
     "elapsed_seconds = 600; queued_seconds = 0; remaining_seconds = 85800; training_seconds = "
     "600"},
    {"ended, and nobody says when", Group::kRuntime,
     R"({"TrainingJobStatus": "Stopped", "CreationTime": 1783000000, "TrainingStartTime": 1783000100})",
     "", "queued_seconds = 100; remaining_seconds = 0"},
    {"MaxWaitTime bounds what remains", Group::kRuntime,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783000000, "StoppingCondition":
         {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 4000}})",
     "", "elapsed_seconds = 600; queued_seconds = 600; remaining_seconds = 3400"},
    {"a clock that is ahead makes nothing negative", Group::kRuntime,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783009999, "TrainingStartTime": 1783009999})",
     "",
     "elapsed_seconds = 0; queued_seconds = 0; remaining_seconds = 86400; training_seconds = 0"},
    {"nothing is told", Group::kRuntime, "{}", "", "remaining_seconds = 86400"},
    {"odd types are missing", Group::kRuntime,
     R"({"TrainingJobStatus": 7, "CreationTime": [], "TrainingStartTime": {}, "StoppingCondition": []})",
     "", "remaining_seconds = 86400"},
    {"asked to stop ten minutes ago", Group::kRuntime,
     R"({"TrainingJobStatus": "Stopping", "CreationTime": 1782997000, "TrainingStartTime": 1782997000,
         "StoppingCondition": {"MaxRuntimeInSeconds": 7200}, "LastModifiedTime": 1783000500,
         "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": 1782997000},
                                        {"Status": "Stopping", "StartTime": 1783000000}]})",
     "",
     "elapsed_seconds = 3600; queued_seconds = 0; remaining_seconds = 3600; stopping_seconds = "
     "600; "
     "training_seconds = 3600"},
    {"asked to stop, and no transition says when", Group::kRuntime,
     R"({"TrainingJobStatus": "Stopping", "CreationTime": 1783000000, "LastModifiedTime": 1783000500})",
     "",
     "elapsed_seconds = 600; queued_seconds = 600; remaining_seconds = 86400; stopping_seconds = "
     "100"},
    {"no interruption", Group::kSpot,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783000000, "SecondaryStatusTransitions":
         [{"Status": "Starting", "StartTime": 1783000000, "EndTime": 1783000300},
          {"Status": "Training", "StartTime": 1783000300, "EndTime": null}]})",
     "",
     "active_fraction = 0.5; interruptions = 0; interruptions_24h = 0; interruptions_6h = 0; "
     "training_seconds = 300"},
    {"two interruptions, and Starting again", Group::kSpot,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783000000, "SecondaryStatusTransitions":
         [{"Status": "Training", "StartTime": 1783000000, "EndTime": 1783000100},
          {"Status": "Interrupted", "StartTime": 1783000100, "EndTime": 1783000200},
          {"Status": "Starting", "StartTime": 1783000200, "EndTime": 1783000300},
          {"Status": "Training", "StartTime": 1783000300, "EndTime": 1783000350},
          {"Status": "Interrupted", "StartTime": 1783000350, "EndTime": 1783000400},
          {"Status": "Starting", "StartTime": 1783000400, "EndTime": null}]})",
     "",
     "active_fraction = 0.25; interruptions = 2; interruptions_24h = 2; interruptions_6h = 2; "
     "training_seconds = 150; window_seconds = 250"},
    {"a spell whose end is not told ended when the next began", Group::kSpot,
     R"({"TrainingJobStatus": "InProgress", "CreationTime": 1783000000, "SecondaryStatusTransitions":
         [{"Status": "Training", "StartTime": 1783000000, "EndTime": null},
          {"Status": "Interrupted", "StartTime": 1783000060, "EndTime": 1783000300},
          {"Status": "Training", "StartTime": 1783000300},
          {"Status": "Uploading", "StartTime": 1783000390}]})",
     "",
     "active_fraction = 0.25; interruptions = 1; interruptions_24h = 1; interruptions_6h = 1; "
     "training_seconds = 150; window_seconds = 0"},
    {"waited in vain: it never trained", Group::kSpot,
     R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "CreationTime": 1783000000,
         "LastModifiedTime": 1783000400, "SecondaryStatusTransitions":
         [{"Status": "Starting", "StartTime": 1783000000, "EndTime": 1783000400},
          {"Status": "MaxWaitTimeExceeded", "StartTime": 1783000400, "EndTime": 1783000400}]})",
     "",
     "active_fraction = 0; interruptions = 0; interruptions_24h = 0; interruptions_6h = 0; "
     "training_seconds = 0"},
    {"waited in vain, before its first start", Group::kDiagnosis,
     R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded"})", "",
     "evidence = MaxWaitTimeExceeded; label = timeout; resume = once"},
    // 14.11: counted back from now, whatever the order in which they are told.
    {"interruptions of long ago, of today and of just now", Group::kSpot,
     R"({"TrainingJobStatus": "InProgress", "SecondaryStatusTransitions":
         [{"Status": "Interrupted", "StartTime": 1783000500},
          {"Status": "Interrupted", "StartTime": 1782740000},
          {"Status": "Interrupted", "StartTime": 1782979000},
          {"Status": "Interrupted", "StartTime": 1782978999},
          {"Status": "Interrupted", "StartTime": 1782914200},
          {"Status": "Interrupted", "StartTime": 1782914199}]})",
     "",
     "interruptions = 6; interruptions_24h = 4; interruptions_6h = 2; training_seconds = 0; "
     "window_seconds = 260500"},
    {"an interruption of the next second, by a clock that is behind", Group::kSpot,
     R"({"SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": 1783000601}]})", "",
     "interruptions = 1; interruptions_24h = 1; interruptions_6h = 1; training_seconds = 0; "
     "window_seconds = 0"},
    {"an interruption that does not tell when", Group::kSpot,
     R"({"SecondaryStatusTransitions": [{"Status": "Interrupted", "StartTime": 1783000500},
         {"Status": "Interrupted", "StartTime": null}]})",
     "", "interruptions = 2; training_seconds = 0; window_seconds = 0"},
    {"ended days ago, thick with interruptions then", Group::kSpot,
     R"({"TrainingJobStatus": "Stopped", "SecondaryStatusTransitions":
         [{"Status": "Interrupted", "StartTime": 1782740000},
          {"Status": "Interrupted", "StartTime": 1782740100}]})",
     "",
     "interruptions = 2; interruptions_24h = 0; interruptions_6h = 0; training_seconds = 0; "
     "window_seconds = 100"},
    {"a warm pool that nobody uses", Group::kWarmPool,
     R"({"TrainingJobStatus": "Stopped", "TrainingEndTime": 1783000000,
         "ResourceConfig": {"KeepAlivePeriodInSeconds": 3600}, "WarmPoolStatus": {"Status": "Available"}})",
     "", "idle_seconds = 600; remaining_seconds = 3000"},
    {"a warm pool that should have run out", Group::kWarmPool,
     R"({"TrainingJobStatus": "Stopped", "TrainingEndTime": 1783000000,
         "ResourceConfig": {"KeepAlivePeriodInSeconds": 60}, "WarmPoolStatus": {"Status": "Available"}})",
     "", "idle_seconds = 600; remaining_seconds = 0"},
    {"a warm pool, by what was paid for it", Group::kWarmPool,
     R"({"TrainingJobStatus": "Stopped", "WarmPoolStatus": {"Status": "Available",
         "ResourceRetainedBillableTimeInSeconds": 70}})",
     "", "idle_seconds = 70"},
    {"a warm pool, nobody knows since when", Group::kWarmPool,
     R"({"TrainingJobStatus": "Stopped", "WarmPoolStatus": {"Status": "Available"}})", "", ""},
    {"a warm pool that was taken over", Group::kWarmPool,
     R"({"TrainingJobStatus": "Completed", "TrainingEndTime": 1783000000, "WarmPoolStatus":
         {"Status": "Reused", "ReusedByJob": "job-2", "ResourceRetainedBillableTimeInSeconds": 9}})",
     "", ""},
    {"a job that runs on a warm pool", Group::kWarmPool,
     R"({"TrainingJobStatus": "InProgress", "WarmPoolStatus": {"Status": "InUse"}})", "", ""},
    {"no transitions are told", Group::kSpot, "{}", "", ""},
    {"F14: what spot saved is told without transitions", Group::kSpot,
     R"({"TrainingJobStatus": "Completed", "EnableManagedSpotTraining": true,
         "TrainingTimeInSeconds": 8000, "BillableTimeInSeconds": 2000})",
     "", "saved_fraction = 0.75"},
    {"F14: no bill yet, no saving", Group::kSpot,
     R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
         "TrainingTimeInSeconds": 8000})",
     "", ""},
    {"F14: machines on demand save nothing by spot", Group::kSpot,
     R"({"TrainingJobStatus": "Completed", "TrainingTimeInSeconds": 8000,
         "BillableTimeInSeconds": 2000})",
     "", ""},
    {"failed: a kind and a code", Group::kFailure,
     R"({"FailureReason": "AlgorithmError: ExecuteUserScriptError:\nExitCode 137, exit code 1"})",
     "", "exit_code = 137; kind = AlgorithmError"},
    {"failed: no kind", Group::kFailure, R"({"FailureReason": "The job: failed. Exit Code: 2"})",
     "", "exit_code = 2"},
    {"not failed", Group::kFailure, R"({"FailureReason": null})", "", ""},
    {"capacity", Group::kDiagnosis,
     R"({"TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unable to provision requested ML compute capacity."})",
     "",
     "evidence = CapacityError: Unable to provision requested ML compute capa…; label = "
     "capacity; "
     "resume = yes"},
    {"a request that cannot be fulfilled", Group::kDiagnosis,
     R"({"TrainingJobStatus": "Failed", "FailureReason": "CapacityError: Unfulfillable due to your request configuration"})",
     "",
     "evidence = CapacityError: Unfulfillable due to your request configurati…; label = capacity; "
     "resume = once"},
    {"the platform", Group::kDiagnosis,
     R"({"TrainingJobStatus": "Failed", "FailureReason": "InternalServerError: We encountered an internal error"})",
     "",
     "evidence = InternalServerError: We encountered an internal error; label = service; resume = "
     "yes"},
    {"its time was up", Group::kDiagnosis,
     R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxRuntimeExceeded"})", "",
     "evidence = MaxRuntimeExceeded; label = timeout; resume = once"},
    {"nothing to diagnose", Group::kDiagnosis, R"({"TrainingJobStatus": "InProgress"})", "", ""},
    {"not a copy", Group::kLineage, "{}", "{}", "generation = 0"},
    {"a copy of a copy", Group::kLineage, "{}",
     R"({"trainwarden:generation": "2", "trainwarden:root": "a", "trainwarden:parent": "a-r1-0"})",
     "generation = 2; parent = a-r1-0; root = a"},
    {"a generation that is no number", Group::kLineage, "{}",
     R"({"trainwarden:generation": "two"})", ""},
    {"children", Group::kLineage,
     R"({"TuningJobArn": "arn:t", "AutoMLJobArn": "arn:a", "LabelingJobArn": ""})",
     R"({"sagemaker:pipeline-execution-arn": "arn:p"})",
     "child_of = tuning; child_of = automl; child_of = pipeline; generation = 0"},
    {"run by a state machine", Group::kLineage, "{}",
     R"({"MANAGED_BY_AWS": "STARTED_BY_STEP_FUNCTIONS", "AWS_STEP_FUNCTIONS_EXECUTION_ARN": "a"})",
     "child_of = step-functions; generation = 0"},
};

TEST(FactsF2, GroupsAreDerived) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.why));
    Sources sources(test::running());
    sources.set(Source::kDescribe, doc(c.describe));
    if (!c.tags.empty()) sources.set(Source::kTags, doc(c.tags));
    const Facts facts = facts_from(sources, kNow);
    ASSERT_TRUE(facts.knows(c.group));
    const bool by_name = c.group == Group::kResources || c.group == Group::kLineage;
    EXPECT_EQ(by_name ? leaves_by_name(facts, name(c.group)) : leaves(facts, c.group), c.leaves);
  }
}

TEST(Facts, TheClockIsUtc) {
  const Sources sources(test::running());
  EXPECT_EQ(leaves(facts_from(sources, kNow), Group::kTime),
            "date = 20260702; hour = 13; weekday = thu");
  const sys_seconds end_of_leap_day = *parse_rfc3339("2028-02-29T23:59:59Z");
  EXPECT_EQ(leaves(facts_from(sources, end_of_leap_day), Group::kTime),
            "date = 20280229; hour = 23; weekday = tue");
}

TEST(Facts, AnAlarmTellsItsWatch) {
  JobEvent event = test::running();
  EXPECT_EQ(leaves(facts_from(Sources(event), kNow), Group::kAlarm), "");
  event.alarm = {"trainwarden/train-1/gpu-idle/2", "gpu-idle", "ALARM"};
  const Sources sources(event);
  EXPECT_EQ(leaves(facts_from(sources, kNow), Group::kAlarm),
            "name = trainwarden/train-1/gpu-idle/2; state = ALARM; watch = gpu-idle");
}

TEST(Facts, CostNeedsAPriceForEveryMachine) {
  const Prices prices = {{"ml.p4d.24xlarge", {30.0}}, {"ml.c5.xlarge", {0.2}}};
  const auto cost = [&prices](std::string_view describe) {
    Sources sources(test::running());
    sources.set(Source::kDescribe, doc(describe));
    return leaves(facts_from(sources, prices, kNow), Group::kCost);
  };
  EXPECT_EQ(cost(R"({"TrainingJobStatus": "Completed", "TrainingTimeInSeconds": 7200,
                     "StoppingCondition": {"MaxRuntimeInSeconds": 36000},
                     "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2}})"),
            "max_usd = 600; spent_usd = 120; usd_per_hour = 60");
  EXPECT_EQ(cost(R"({"TrainingJobStatus": "Completed", "TrainingTimeInSeconds": 7200,
                     "BillableTimeInSeconds": 1800,
                     "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2}})"),
            "max_usd = 1440; spent_usd = 30; usd_per_hour = 60");
  // Of two hours since training began, a spot job waited for one: it pays 30 minutes of training,
  // 10 of downloading and 20 of training again.
  EXPECT_EQ(cost(R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped",
                     "EnableManagedSpotTraining": true,
                     "TrainingStartTime": 1000, "TrainingEndTime": 8200,
                     "SecondaryStatusTransitions": [
                       {"Status": "Training", "StartTime": 1000, "EndTime": 2800},
                       {"Status": "Interrupted", "StartTime": 2800, "EndTime": 6400},
                       {"Status": "Downloading", "StartTime": 6400, "EndTime": 7000},
                       {"Status": "Training", "StartTime": 7000, "EndTime": 8200}],
                     "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2}})"),
            "max_usd = 1440; spent_usd = 60; usd_per_hour = 60");
  EXPECT_EQ(cost(R"({"ServerlessJobConfig": {}})"), "");  // without machines of its own
  Sources groups(test::running());
  groups.set(Source::kDescribe, doc(R"({"ResourceConfig": {"InstanceGroups": [
                     {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1},
                     {"InstanceType": "ml.m5.large", "InstanceCount": 1}]}})"));
  const Facts unpriced = facts_from(groups, prices, kNow);
  EXPECT_FALSE(unpriced.knows(Group::kCost));
  EXPECT_EQ(unpriced.lacking(Group::kCost).names(), "prices");
  ASSERT_NE(unpriced.unavailable(Source::kPrices), nullptr);
  EXPECT_EQ(unpriced.unavailable(Source::kPrices)->message,
            "the policy has no price for ml.m5.large");
  EXPECT_EQ(facts_from(Sources(test::running()), prices, kNow).lacking(Group::kCost).names(),
            "describe");
  Sources sources(test::running());
  sources.set(
      Source::kDescribe,
      doc(R"({"ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2}})"));
  EXPECT_EQ(leaves(facts_from(sources, kNow), Group::kCost), "");
}

TEST(FactsF6, AGroupLacksItsSources) {
  Sources sources(test::running());
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kTime).names(), "");
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kRuntime).names(), "describe");
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kLineage).names(), "describe, tags");
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kDiagnosis).names(), "describe");
  sources.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "Failed",
                                         "FailureReason": "AlgorithmError: exit code 1"})"));
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kFailure).names(), "");
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kLineage).names(), "tags");
  EXPECT_EQ(facts_from(sources, kNow).lacking(Group::kDiagnosis).names(), "logs");
}

}  // namespace
}  // namespace trainwarden::rules::facts_test
