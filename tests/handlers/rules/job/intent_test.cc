#include "handlers/rules/job/intent.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::rules {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kAt = 1783000000;

json::Document parse(std::string_view text) { return *json::Document::parse(text); }

TEST(Intent, A2_IsWrittenAsATagMayBe) {
  const Intent intent{2, sys_seconds(seconds(kAt)), false, {"ml.p4d.24xlarge", "ml.p5.48xlarge"}};
  EXPECT_EQ(format_intent(intent),
            "v1 gen=2 at=1783000000 spot=false types=ml.p4d.24xlarge/ml.p5.48xlarge");
  EXPECT_EQ(format_intent({1, sys_seconds(seconds(kAt)), std::nullopt, {}}),
            "v1 gen=1 at=1783000000");
}

TEST(Intent, A2_ReadsBackTheSame) {
  for (const Intent& intent :
       {Intent{1, sys_seconds(seconds(kAt)), std::nullopt, {}},
        Intent{7, sys_seconds(seconds(kAt)), true, {}},
        Intent{2, sys_seconds(seconds(kAt)), false, {"ml.g5.xlarge", "ml.p4d.24xlarge"}}})
    EXPECT_EQ(parse_intent(*format_intent(intent)), intent);
}

TEST(Intent, A2_WhatATagCannotHoldIsNoIntent) {
  Intent intent{1, sys_seconds(seconds(kAt)), false, {}};
  for (int i = 0; i < 20; ++i) intent.instance_types.emplace_back("ml.p4d.24xlarge");
  EXPECT_FALSE(format_intent(intent));
  EXPECT_FALSE(format_intent({1, sys_seconds(seconds(kAt)), false, {"ml.g5.x large"}}));
}

TEST(Intent, A2_UnknownVersionsAndGarbageAreNoIntent) {
  for (const char* const text : {"",
                                 "void",
                                 "v1",
                                 "v2 gen=1 at=1783000000",
                                 "v1 gen=1",
                                 "v1 at=1783000000",
                                 "v1 gen=0 at=1783000000",
                                 "v1 gen=-1 at=1783000000",
                                 "v1 gen=one at=1783000000",
                                 "v1 gen=1 at=1783000000 gen=2",
                                 "v1 gen=1 at=1783000000 spot=maybe",
                                 "v1 gen=1 at=1783000000 spot=true spot=false",
                                 "v1 gen=1 at=1783000000 limit=9",
                                 "v1 gen=1 at=1783000000 types=p5",
                                 "v1 gen=1 at=1783000000 types=/ml.g5.xlarge",
                                 "v1 gen=1 at=1783000000 types=ml.p548xlarge",
                                 "v1 gen=1 at=1783000000 types=ml.P5.48xlarge",
                                 "v1  gen=1 at=1783000000",
                                 "v1gen=1 at=1783000000",
                                 "V1 gen=1 at=1783000000",
                                 "v1 gen=1 at=99999999999999",
                                 "v1 gen=99999999999999999999 at=1783000000"})
    EXPECT_FALSE(parse_intent(text)) << text;
}

TEST(Intent, A2_IsUnfinishedUntilItLedToACopyOrToNothing) {
  const auto unfinished = [](const char* tags) {
    return std::string(unfinished_intent(read_job_tags(parse(tags).root())));
  };
  EXPECT_EQ(unfinished(R"({"trainwarden:intent": "v1 gen=1 at=1"})"), "v1 gen=1 at=1");
  EXPECT_EQ(unfinished(R"({"trainwarden:intent": "of another form"})"), "of another form");
  for (const char* const tags :
       {"{}", R"({"trainwarden:intent": "void"})", R"({"trainwarden:intent": "done a-r1-0"})",
        R"({"trainwarden:intent": "v1 gen=1 at=1", "trainwarden:child": "a-r1-0"})"})
    EXPECT_EQ(unfinished(tags), "") << tags;
}

// A job that was stopped `after` seconds after the intent was written.
json::Document stopped(std::int64_t after, const char* status = "Stopping") {
  return parse(fmt::format(
      R"({{"TrainingJobName": "a", "TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped",
          "SecondaryStatusTransitions": [
            {{"Status": "Training", "StartTime": {}, "EndTime": {}}},
            {{"Status": "{}", "StartTime": {}.5}},
            {{"Status": "Stopped", "StartTime": {}}}]}})",
      kAt - 5000, kAt + after, status, kAt + after, kAt + after + 90));
}

const char* const kIntent = "v1 gen=1 at=1783000000";

TEST(Intent, A2_HoldsForAStopWithinTenMinutes) {
  const auto none = parse("{}");
  for (const std::int64_t after : {0, 1, 90, 599})
    EXPECT_FALSE(
        why_void(kIntent, read_training_job(stopped(after).root()), read_job_tags(none.root())))
        << after;
}

TEST(Intent, A2_DoesNotHoldForAStopBeforeOrLongAfterIt) {
  const auto none = parse("{}");
  for (const std::int64_t after : {-3600, -10, 601, 86'400}) {
    const auto why =
        why_void(kIntent, read_training_job(stopped(after).root()), read_job_tags(none.root()));
    ASSERT_TRUE(why) << after;
    EXPECT_EQ(text(*why),
              "the job was not stopped within 10 minutes after the intent of 2026-07-02T13:46:40Z");
  }
}

TEST(Intent, A2_DoesNotHoldForAJobThatWasNeverStopped) {
  const auto none = parse("{}");
  EXPECT_TRUE(why_void(kIntent, read_training_job(stopped(10, "Uploading").root()),
                       read_job_tags(none.root())));
  const auto bare = parse(R"({"TrainingJobStatus": "Failed"})");
  EXPECT_TRUE(why_void(kIntent, read_training_job(bare.root()), read_job_tags(none.root())));
}

TEST(Intent, A2_DoesNotHoldForAnotherGeneration) {
  const auto tags = parse(R"({"trainwarden:generation": "1", "trainwarden:parent": "r",
                              "trainwarden:root": "r"})");
  EXPECT_EQ(text(why_void(kIntent, read_training_job(stopped(5).root()), read_job_tags(tags.root()))
                     .value()),
            "the intent speaks of generation 1, which a copy of this job is not");
  EXPECT_FALSE(why_void("v1 gen=2 at=1783000000", read_training_job(stopped(5).root()),
                        read_job_tags(tags.root())));
}

TEST(Intent, P4_AStopThatCameAfterItBeatsIt) {
  // A restart at the same time may have written its action over the stop's.
  for (const char* const left :
       {R"({"trainwarden:action": "stop"})",
        R"({"trainwarden:action": "restart", "trainwarden:stopped": "2026-07-02T13:46:41Z"})"}) {
    const auto tags = parse(left);
    EXPECT_EQ(
        text(why_void(kIntent, read_training_job(stopped(5).root()), read_job_tags(tags.root()))
                 .value()),
        "a rule stopped the job after the intent");
  }
}

}  // namespace
}  // namespace trainwarden::rules
