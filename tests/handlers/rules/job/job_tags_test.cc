// Which of a job's tags are ours, and what they say.
#include "handlers/rules/job/job_tags.h"

#include <gtest/gtest.h>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::job_tags_test {
namespace {

using test::doc;

TEST(JobTags, TheKeysOfALineOfCopiesAndOfAStopAreRead) {
  const auto document = doc(R"({"team": "vision", "trainwarden:root": "1",
      "trainwarden:parent": "2", "trainwarden:generation": "3", "trainwarden:child": "4",
      "trainwarden:action": "stop", "trainwarden:rule": "idle", "sagemaker:pipeline-execution-arn": "13"})");
  const JobTags tags = read_job_tags(document.root());
  EXPECT_EQ(tags.root, "1");
  EXPECT_EQ(tags.parent, "2");
  EXPECT_EQ(tags.generation, "3");
  EXPECT_EQ(tags.child, "4");
  EXPECT_EQ(tags.action, "stop");
  EXPECT_EQ(tags.rule, "idle");
  EXPECT_EQ(tags.pipeline, "13");
}

TEST(JobTags, TheTagsOfStepFunctionsAreRead) {
  const auto document = doc(R"({"MANAGED_BY_AWS": "STARTED_BY_STEP_FUNCTIONS",
      "AWS_STEP_FUNCTIONS_EXECUTION_ARN": "arn:e"})");
  const JobTags tags = read_job_tags(document.root());
  EXPECT_EQ(tags.managed_by, "STARTED_BY_STEP_FUNCTIONS");
  EXPECT_EQ(tags.execution, "arn:e");
  EXPECT_TRUE(is_state_machine_task(tags));
  EXPECT_FALSE(is_state_machine_task(read_job_tags(doc(R"({"MANAGED_BY_AWS": ""})").root())));
}

TEST(JobTags, WhatIsEmptyIsThereAndWhatIsNoTextIsNot) {
  const auto document = doc(R"({"trainwarden:root": "", "trainwarden:parent": null,
      "trainwarden:generation": 2, "Trainwarden:child": "x"})");
  const JobTags tags = read_job_tags(document.root());
  EXPECT_EQ(tags.root, "");
  EXPECT_FALSE(tags.parent);
  EXPECT_FALSE(tags.generation);
  EXPECT_FALSE(tags.child);
  EXPECT_FALSE(read_job_tags(doc("[]").root()).root);
}

TEST(JobTags, OursAreThoseThatNoCopyTakesOver) {
  EXPECT_TRUE(is_our_tag("trainwarden:root"));
  EXPECT_TRUE(is_our_tag("trainwarden:told"));
  EXPECT_FALSE(is_our_tag("team"));
  EXPECT_TRUE(is_our_tag("trainwarden:else"));
  EXPECT_FALSE(is_our_tag("Trainwarden:root"));
  EXPECT_FALSE(is_our_tag("sagemaker:pipeline-execution-arn"));
}

TEST(JobTags, TheTagsOfASearchRecordAreKeysAndValues) {
  const auto record = doc(R"({"Tags": [{"Key": "team", "Value": "vision"}, {"Key": "trainwarden:at",
      "Value": "now"}, {"Key": "bare"}, {"Value": "nameless"}]})");
  const json::Document tags = search_tags(record.root());
  EXPECT_EQ(json::to_text(tags.root()), R"({"team":"vision","trainwarden:at":"now","bare":""})");
  EXPECT_EQ(json::to_text(search_tags(doc("{}").root()).root()), "{}");
}

}  // namespace
}  // namespace trainwarden::rules::job_tags_test
