// What a sweep must look at, by what Search tells of a job.
#include "handlers/rules/decide/nominate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace trainwarden::rules::nominate_test {
namespace {

constexpr sys_seconds kNow{std::chrono::seconds(1783000213)};

Policy policy(const std::string& rules) {
  auto parsed = parse_policy(fmt::format(
      R"({{"version":1,"watches":{{"idle":{{"metric":"GPUUtilization","statistic":"Maximum",)"
      R"("period_seconds":300,"periods":3,"at_most":1}}}},"rules":[{}]}})",
      rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

// A record of Search: the job trains on one GPU machine, and has these tags.
json::Document record(const std::string& tags = "[]", const std::string& more = "") {
  auto parsed = json::Document::parse(fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobStatus":"InProgress","SecondaryStatus":"Training",)"
      R"("CreationTime":1783000000.5,"ResourceConfig":{{"InstanceType":"ml.g5.xlarge","InstanceCount":1}}{},)"
      R"("Tags":{}}})",
      more, tags));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

Nomination nominate(const std::string& rules, const json::Document& found) {
  const auto search = sources_of_search(read_training_job(found.root()));
  EXPECT_TRUE(search);
  const Policy with = policy(rules);
  Nomination out = nominate(with, *search, kNow);
  EXPECT_TRUE(out.watches.empty() || out.watches.front()->name == "idle");
  return out;
}

constexpr const char* kTagRule =
    R"({"name":"tags","match":{"job":{"TrainingJobStatus":["InProgress"]},
  "tags":{"team":[{"exists":false}]}},"actions":["stop"]})";

TEST(Nominate, S1_AJobThatNoRuleCanMatchIsNotLookedAt) {
  EXPECT_FALSE(nominate(kTagRule, record(R"([{"Key":"team","Value":"vision"}])")).look);
}

TEST(Nominate, S1_AJobThatARuleMatchesIsLookedAt) {
  EXPECT_TRUE(nominate(kTagRule, record()).look);
  EXPECT_TRUE(nominate(kTagRule, record(R"([{"Key":"owner","Value":"jo"}])")).look);
}

// RemoteDebugConfig is a member of Describe that Search lacks.
TEST(Nominate, S1_WhatSearchLacksIsUnknownNotAbsent) {
  constexpr const char* kDebugged = R"({"name":"debug","match":{"job":
    {"RemoteDebugConfig":{"EnableRemoteDebug":[true]},"SecondaryStatus":["Training"]}},"actions":["stop"]})";
  constexpr const char* kNotDebugged = R"({"name":"debug","match":{"job":
    {"RemoteDebugConfig":{"EnableRemoteDebug":[{"exists":false}]}}},"actions":["stop"]})";
  EXPECT_TRUE(nominate(kDebugged, record()).look);
  EXPECT_TRUE(nominate(kNotDebugged, record()).look);
}

TEST(Nominate, S1_WhatSearchLacksDoesNotMatterWhereTheRestIsFalse) {
  constexpr const char* kElsewhere = R"({"name":"debug","match":{"job":
    {"RemoteDebugConfig":{"EnableRemoteDebug":[true]},"SecondaryStatus":["Starting"]}},"actions":["stop"]})";
  EXPECT_FALSE(nominate(kElsewhere, record()).look);
}

TEST(Nominate, S1_AnExemptionThatSearchLacksDoesNotExempt) {
  constexpr const char* kExempt = R"({"name":"r","match":{"tags":{"team":[{"exists":false}]}},
    "unless":{"job":{"RemoteDebugConfig":{"EnableRemoteDebug":[true]}}},"actions":["stop"]})";
  EXPECT_TRUE(nominate(kExempt, record()).look);
}

// CheckpointConfig is a member that Search has: where it is missing, the job has none.
TEST(Nominate, S1_WhatSearchHasCountsWhenItIsAbsent) {
  constexpr const char* kCheckpoint = R"({"name":"r","match":{"job":
    {"CheckpointConfig":{"S3Uri":[{"exists":true}]}}},"actions":["notify"]})";
  EXPECT_FALSE(nominate(kCheckpoint, record()).look);
  EXPECT_TRUE(
      nominate(kCheckpoint, record("[]", R"(,"CheckpointConfig":{"S3Uri":"s3://b/c"})")).look);
}

TEST(Nominate, S1_LogsAreALookAway) {
  constexpr const char* kResume = R"({"name":"r","match":{"job":{"TrainingJobStatus":["Failed"]},
    "failure":{"resume":["yes"]}},"actions":[{"restart":{}}]})";
  auto failed = json::Document::parse(
      R"({"TrainingJobName":"job-1","TrainingJobStatus":"Failed","SecondaryStatus":"Failed",)"
      R"("FailureReason":"AlgorithmError: see the logs, exit code: 1"})");
  EXPECT_TRUE(nominate(kResume, *failed).look);
  EXPECT_FALSE(nominate(kResume, record()).look);
}

// Whoever owns the job can write that tag.
TEST(Nominate, S1_ATagThatNamesACopySparesNoLook) {
  constexpr const char* kResume = R"({"name":"r","match":{"job":{"TrainingJobStatus":["Failed"]}},
    "actions":[{"restart":{}},"notify"]})";
  const auto failed = json::Document::parse(
      R"({"TrainingJobName":"job-1","TrainingJobStatus":"Failed","SecondaryStatus":"Failed",)"
      R"("Tags":[{"Key":"trainwarden:child","Value":"job-1-r1-0badc0de"}]})");
  EXPECT_TRUE(nominate(kResume, *failed).look);
}

TEST(Nominate, W2_RulesThatOnlyWatchNameTheirWatches) {
  constexpr const char* kWatch = R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},
    "actions":[{"watch":["idle"]}]})";
  constexpr const char* kAgain = R"({"name":"w2","match":{"job":{"SecondaryStatus":["Training"]}},
    "actions":[{"watch":["idle"]}]})";
  const Policy with = policy(fmt::format("{},{}", kWatch, kAgain));
  const json::Document found = record();
  const Nomination once =
      rules::nominate(with, *sources_of_search(read_training_job(found.root())), kNow);
  EXPECT_FALSE(once.look);
  ASSERT_EQ(once.watches.size(), 1U);
  EXPECT_EQ(once.watches.front()->name, "idle");
}

TEST(Nominate, S1_ARecordWithoutANameIsNoJob) {
  const auto nameless = json::Document::parse(R"({"TrainingJobStatus":"InProgress"})");
  EXPECT_FALSE(sources_of_search(read_training_job(nameless->root())));
}

// Search tells whose job it is: one that an account's rules do not mean costs no call.
TEST(Nominate, S1_TheAccountAndRegionAreThoseOfTheRecordsArn) {
  constexpr const char* kAccountRule = R"({"name":"a","match":{"event":{
    "account":["111122223333"],"region":["eu-central-1"]}},"actions":["stop"]})";
  const auto look = [&](const std::string& place) {
    return nominate(kAccountRule,
                    record("[]", R"(,"TrainingJobArn":"arn:aws:sagemaker:)" + place + "\""))
        .look;
  };
  EXPECT_TRUE(look("eu-central-1:111122223333:training-job/job-1"));
  EXPECT_FALSE(look("eu-central-1:444455556666:training-job/job-1"));
  EXPECT_FALSE(look("us-east-1:111122223333:training-job/job-1"));
  EXPECT_TRUE(nominate(kAccountRule, record()).look);  // nobody knows
  EXPECT_TRUE(look("eu-central-1"));
}

TEST(Nominate, F5_TheCreationTimeGoesAlongForTheLookToCompare) {
  const json::Document found = record();
  EXPECT_EQ(sources_of_search(read_training_job(found.root()))->event().creation_time,
            sys_seconds(std::chrono::seconds(1783000000)));
}

}  // namespace
}  // namespace trainwarden::rules::nominate_test
