// Which metrics an export asks for, and as far as CloudWatch keeps them (issue 17, 2).
#include "handlers/rules/alarms/history_series.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::history_series_test {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;
using test::doc;

constexpr sys_seconds kNow{seconds(1'783'000'200)};

Policy watching(const std::string& watches) {
  return test::policy(fmt::format(
      R"({{"version": 1, "watches": {{{}}},
           "rules": [{{"name": "r", "match": {{"tags": {{"a": ["b"]}}}}, "actions": ["notify"]}}]}})",
      watches));
}

constexpr const char* kIdle =
    R"("idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
       "periods": 3, "at_most": 1, "missing": "notBreaching"})";
constexpr const char* kAlso =
    R"("slow": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
       "periods": 9, "at_most": 20, "missing": "notBreaching"})";
constexpr const char* kHeartbeat =
    R"("heartbeat": {"metric": "loss", "source": "algorithm", "statistic": "SampleCount",
       "period_seconds": 60, "periods": 10, "below": 1, "missing": "breaching"})";

struct Trained {
  std::string type = "ml.g5.12xlarge";
  int count = 1;
  seconds began = hours(5);  // ago
  seconds ended = hours(1);
  std::string definitions = R"([{"Name": "loss", "Regex": "x"}])";
};

json::Document describe(const Trained& job) {
  const auto at = [](seconds ago) { return (kNow - ago).time_since_epoch().count(); };
  return doc(fmt::format(
      R"({{"TrainingJobName": "run", "TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped",
           "CreationTime": {0}, "TrainingStartTime": {0}, "TrainingEndTime": {1},
           "ResourceConfig": {{"InstanceType": "{2}", "InstanceCount": {3}}},
           "AlgorithmSpecification": {{"MetricDefinitions": {4}}},
           "SecondaryStatusTransitions": [{{"Status": "Training", "StartTime": {0}, "EndTime": {1}}}]}})",
      at(job.began), at(job.ended), job.type, job.count, job.definitions));
}

std::string names(const std::string& watches, const Trained& job = {}) {
  const json::Document described = describe(job);
  const Policy policy = watching(watches);
  std::string out;
  for (const HistorySeries& one :
       history_series(policy.watches(), read_training_job(described.root())))
    out += fmt::format("{} {} {} {}; ", one.metric, one.statistic, one.period_seconds, one.host);
  return out;
}

TEST(HistorySeries, EachHostOfAWatchOnceWhateverTheWatches) {
  EXPECT_EQ(names(kIdle), "GPUUtilization Maximum 300 algo-1; ");
  EXPECT_EQ(names(std::string(kIdle) + "," + kAlso, {.count = 2}),
            "GPUUtilization Maximum 300 algo-1; GPUUtilization Maximum 300 algo-2; ");
}

TEST(HistorySeries, AWatchThatDoesNotFitHasNone) {
  EXPECT_EQ(names(kIdle, {.type = "ml.m5.large"}), "");
  EXPECT_EQ(names(kHeartbeat, {.definitions = "[]"}), "");
}

TEST(HistorySeries, W4_WhereSilenceCountsItsWitnessesAreThere) {
  EXPECT_EQ(
      names(kHeartbeat,
            {.definitions = R"([{"Name": "loss", "Regex": "x"}, {"Name": "lr", "Regex": "y"}])"}),
      "CPUUtilization SampleCount 60 algo-1; MemoryUtilization SampleCount 60 algo-1; "
      "loss SampleCount 60 job; lr SampleCount 60 job; ");
}

TEST(HistorySeries, AJobThatNeverTrainedHasNone) {
  const json::Document waiting = doc(
      R"({"TrainingJobName": "run", "TrainingJobStatus": "Failed", "CreationTime": 1783000000,
          "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
          "SecondaryStatusTransitions": [{"Status": "Starting", "StartTime": 1783000000}]})");
  const Policy policy = watching(kIdle);
  EXPECT_TRUE(history_series(policy.watches(), read_training_job(waiting.root())).empty());
}

HistorySpan span(std::int64_t period, const Trained& job = {}) {
  const json::Document described = describe(job);
  return history_span(read_training_job(described.root()), period, kNow);
}

TEST(HistorySpan, PeriodsAreTheEpochsMultiples) {
  for (const std::int64_t period : {60, 300, 420, 3600}) {
    const HistorySpan found = span(period);
    EXPECT_EQ(found.begin.time_since_epoch().count() % period, 0) << period;
    EXPECT_EQ((found.end - found.begin).count() % period, 0) << period;
    EXPECT_LE(found.begin, kNow - hours(5));
    EXPECT_GE(found.end, kNow - hours(1));
    EXPECT_FALSE(found.cut);
  }
}

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
TEST(HistorySpan, CloudWatchKeepsShortPeriodsForLess) {
  EXPECT_EQ(kept_for(60), days(15));
  EXPECT_EQ(kept_for(360), days(15));  // made of minutes
  EXPECT_EQ(kept_for(300), days(63));
  EXPECT_EQ(kept_for(900), days(63));
  EXPECT_EQ(kept_for(3600), days(455));
  EXPECT_EQ(kept_for(21'600), days(455));
  const Trained old{.began = days(20), .ended = days(10)};
  const HistorySpan minutes = span(60, old);
  EXPECT_TRUE(minutes.cut);
  EXPECT_GT(minutes.begin, kNow - days(15));
  EXPECT_LT(minutes.begin, kNow - days(14));
  EXPECT_FALSE(span(300, old).cut);
}

TEST(HistorySpan, OfAJobThatIsTooOldNothingIsAskedFor) {
  const HistorySpan gone = span(60, {.began = days(40), .ended = days(30)});
  EXPECT_TRUE(gone.cut);
  EXPECT_EQ(gone.begin, gone.end);
}

}  // namespace
}  // namespace trainwarden::rules::history_series_test
