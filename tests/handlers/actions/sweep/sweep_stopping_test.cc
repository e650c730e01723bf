// policy.md S1: jobs that hang in Stopping are seen by each sweep, however long ago that began.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_stopping_test {
namespace {

constexpr const char* kHangs = R"(
  {"name": "does-not-stop",
   "match": {"job": {"TrainingJobStatus": ["Stopping"]},
             "runtime": {"stopping_seconds": [{"numeric": [">", 3600]}]}},
   "actions": ["notify"], "message": "This job does not stop."})";
constexpr const char* kWatch = R"(
  {"name": "watch", "match": {"resources": {"accelerator": ["gpu"]}},
   "actions": [{"watch": ["gpu-idle"]}]})";

class SweepStopping : public SweepTest {
 protected:
  void place_stopping(const std::string& job, seconds since, const char* secondary = "Stopping") {
    aws_.place({.name = job,
                .status = "Stopping",
                .secondary = secondary,
                .age = hours(80),
                .since = since});
  }
};

TEST_F(SweepStopping, S1_AJobThatHangsForDaysIsToldOfOnce) {
  place_stopping("hangs", hours(48));
  place_stopping("uploads", hours(50), "Uploading");
  place_stopping("new", minutes(10));
  aws_.place({.name = "runs", .age = hours(80)});
  SweepReport report = run(kHangs);
  EXPECT_TRUE(report.errors.empty());
  EXPECT_EQ(report.running, 4U);
  EXPECT_EQ(report.ended, 0U);
  EXPECT_EQ(aws_.notices().size(), 2U);
  EXPECT_EQ(attribute("outcome"), "none");
  request_ = "next";
  clock_.advance(minutes(15));
  run(kHangs);
  EXPECT_EQ(aws_.notices().size(), 2U);
  request_ = "later";
  clock_.advance(hours(1));
  run(kHangs);
  EXPECT_EQ(aws_.notices().size(), 3U);  // of the one that began to stop an hour ago
}

// A stop that AWS has accepted is neither asked for again nor counted.
TEST_F(SweepStopping, S1_NoRuleStopsItOnceMore) {
  place_stopping("hangs", hours(48));
  const SweepReport report = run(R"(
      {"name": "all", "match": {"runtime": {"elapsed_seconds": [{"numeric": [">", 3600]}]}},
       "actions": ["stop", "notify"]})");
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  EXPECT_EQ(attribute("outcome"), "ended");
}

TEST_F(SweepStopping, W3_ItGetsNoAlarmsAndKeepsThoseThatItHas) {
  place_stopping("hangs", hours(48));
  put_alarm("hangs/gpu-idle/algo-1");
  const rules::Policy watched = policy(
      kWatch, "enforce",
      R"("watches":{"gpu-idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,
         "periods":3,"at_most":1,"hosts":"every","missing":"notBreaching"}},)");
  const auto before = aws_.count("PutMetricAlarm");
  run(watched);
  EXPECT_EQ(aws_.count("PutMetricAlarm"), before);
  EXPECT_EQ(aws_.count("DeleteAlarms"), 0);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_stopping_test
