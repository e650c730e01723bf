// What people are told of warm pools (A5, A7).
#include <gtest/gtest.h>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_release_test {
namespace {

using test::doc;
using test::has;
using test::Kind;

Decision release(Mode mode = Mode::kEnforce) {
  Decision decision = test::violation(mode);
  decision.rule = "release-idle-pools";
  decision.actions = {{.kind = ActionKind::kRelease}, {.kind = ActionKind::kNotify}};
  return decision;
}

NoticeJob job_of(std::string_view describe) {
  static const Prices kPrices = {{"ml.p4d.24xlarge", 20}};
  Sources sources(test::running());
  sources.set(Source::kDescribe, doc(describe));
  return notice_job("train-1", test::kArn, sources, kPrices, test::kNow);
}

std::string text(const Decision& decision, const ActionReport& report, const NoticeJob& job) {
  const std::vector<ActionReport> all{report};
  const auto outcome = outcome_of(decision, all, job);
  return outcome ? test::sent(NoticeFormat::kText, decision, *outcome, all, job).message : "";
}

constexpr std::string_view kEnded =
    R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped",
  "TrainingStartTime": 1782990000, "TrainingEndTime": 1782997000, "ResourceConfig": {
  "InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8, "KeepAlivePeriodInSeconds": 21600},
  "WarmPoolStatus": {"Status": "Available"}})";

TEST(NoticeRelease, A7_SaysThatThePoolIsReleasedAndWhatThatSaves) {
  const NoticeJob job = job_of(kEnded);
  EXPECT_EQ(job.pool_usd, 800);  // an hour of six is over
  const std::string told =
      text(release(), {ActionKind::kRelease, {Kind::kReleased}, nullptr, job.pool_usd}, job);
  EXPECT_TRUE(has(told, "released the warm pool of the training job train-1"));
  EXPECT_TRUE(has(told, "releasing its warm pool saves up to 800.00 USD"));
}

// Of a job that has ended nothing is saved but its pool, in no format.
TEST(NoticeRelease, A7_ForMachinesItSavesThePoolAlone) {
  const NoticeJob job = job_of(kEnded);
  const auto cost = [&job](const Decision& decision, const ActionReport& report) {
    const std::vector<ActionReport> all{report};
    const auto outcome = outcome_of(decision, all, job);
    if (!outcome) return std::string("nothing is told");
    const json::Document told =
        doc(test::sent(NoticeFormat::kJson, decision, *outcome, all, job).message);
    return json::to_text(*told.root().find("cost"));
  };
  constexpr const char* kSpent = R"({"usd_per_hour":160,"spent_usd":311.11)";
  EXPECT_EQ(cost(release(), {ActionKind::kRelease, {Kind::kReleased}, nullptr, job.pool_usd}),
            std::string(kSpent) + R"(,"avoided_usd":800,"pool_usd":800})");
  EXPECT_EQ(cost(release(Mode::kNotify), {ActionKind::kRelease, not_done(Why::kModeIsNotify)}),
            std::string(kSpent) + R"(,"pool_usd":800})");
}

TEST(NoticeRelease, A7_InTheModeNotifyThatItWouldBe) {
  const std::string told = text(
      release(Mode::kNotify), {ActionKind::kRelease, not_done(Why::kModeIsNotify)}, job_of(kEnded));
  EXPECT_TRUE(has(told, "Nothing was released: the mode is notify"));
  EXPECT_TRUE(has(told, "its warm pool would be released"));
  EXPECT_TRUE(has(told, "its warm pool may cost up to 800.00 USD more"));
}

TEST(NoticeRelease, A7_OfAPoolThatIsGoneNobodyHears) {
  for (const Why why : {Why::kNoWarmPool, Why::kPoolNotAvailable, Why::kPoolIsReused,
                        Why::kPoolForCopy, Why::kNoLongerMatches})
    EXPECT_EQ(text(release(), {ActionKind::kRelease, not_done(why)}, job_of(kEnded)), "");
}

TEST(NoticeRelease, A5_AStopSavesLessByTheWarmPool) {
  const std::string_view describe = R"({"TrainingJobStatus": "InProgress",
    "TrainingStartTime": 1782964600, "StoppingCondition": {"MaxRuntimeInSeconds": 72000},
    "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8)";
  // Ten hours are left.
  EXPECT_EQ(job_of(std::string(describe) + "}}").avoided_usd, 1600);
  EXPECT_EQ(job_of(std::string(describe) + R"(, "KeepAlivePeriodInSeconds": 0}})").avoided_usd,
            1600);
  const NoticeJob some = job_of(std::string(describe) + R"(, "KeepAlivePeriodInSeconds": 21600}})");
  EXPECT_EQ(some.avoided_usd, 640);
  EXPECT_EQ(some.pool_usd, 960);
  const std::string told = text(test::violation(), {ActionKind::kStop, {Kind::kStopped}}, some);
  EXPECT_TRUE(has(told, "its warm pool may cost up to 960.00 USD after its end"));
  EXPECT_TRUE(has(told, "stopping it saves up to 640.00 USD"));
  // SageMaker keeps no pool of spot machines.
  EXPECT_EQ(job_of(std::string(describe) +
                   R"(, "KeepAlivePeriodInSeconds": 21600}, "EnableManagedSpotTraining": true})")
                .avoided_usd,
            1600);
  // Two hours are left, and the pool outlasts them.
  const std::string late = R"({"TrainingJobStatus": "InProgress", "TrainingStartTime": 1782964600,
    "StoppingCondition": {"MaxRuntimeInSeconds": 43200}, "ResourceConfig": {"InstanceType":
    "ml.p4d.24xlarge", "InstanceCount": 8, "KeepAlivePeriodInSeconds": 21600}})";
  EXPECT_EQ(job_of(late).avoided_usd, 0);
  EXPECT_FALSE(
      has(text(test::violation(), {ActionKind::kStop, {Kind::kStopped}}, job_of(late)), "saves"));
}

}  // namespace
}  // namespace trainwarden::rules::notice_release_test
