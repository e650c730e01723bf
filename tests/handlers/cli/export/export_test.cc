// `trainwarden export` (issue 17, 2): by whole days, oldest first, with what the policy needs and
// nothing that it does not.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "awsapi/pace.h"
#include "tests/handlers/cli/export/export_fixture.h"

namespace trainwarden::cli::export_test {
namespace {

using export_fixture::Export;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;

TEST_F(Export, JobsStandOldestFirstAndEachDayIsClosed) {
  aws_.place({.name = "new", .age = hours(1)});
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "middle", .age = hours(49)});
  aws_.place({.name = "too-old", .age = days(3) + hours(1)});
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0) << printed.error;
  EXPECT_EQ(order(), "29| old middle 30| 01| new 02| end");
  EXPECT_TRUE(has(printed.error, "3 jobs of eu-central-1")) << printed.error;
  EXPECT_EQ(aws_.count("Search"), 4);
  EXPECT_FALSE(aws_.wrote());
  struct stat found = {};
  ASSERT_EQ(stat(folder_.file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(Export, OneJobIsCalledOneAndWhatWasNotAskedForIsNotCharged) {
  aws_.place({.name = "run", .tags = {{"team", "vision"}}});
  policy_ = R"({"version": 1, "rules": [{"name": "r", "actions": ["notify"],
      "match": {"tags": {"team": ["vision"]}}}]})";
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0) << printed.error;
  EXPECT_TRUE(has(printed.error, "1 job of eu-central-1")) << printed.error;
  EXPECT_FALSE(has(printed.error, "charges")) << printed.error;
}

TEST_F(Export, ValuesAreLeftOutButForThoseThatAPatternNames) {
  aws_.place({.name = "run",
              .tags = {{"team", "vision"}},
              .more = R"(, "Environment": {"MODE": "debug", "TOKEN": "hunter2"},
                         "HyperParameters": {"key": "hunter2"})"});
  ASSERT_EQ(run().status, 0);
  const json::Document line = line_of_job("run");
  const json::Value job = *line.root().find("job");
  EXPECT_EQ(json::to_text(*job.find("Environment")), R"({"MODE":"debug"})");
  EXPECT_FALSE(job.find("HyperParameters"));
  EXPECT_FALSE(job.find("Tags"));
  EXPECT_EQ(json::to_text(*line.root().find("tags")), R"({"team":"vision"})");
  for (const std::string& one : lines()) EXPECT_FALSE(has(one, "hunter2")) << one;
}

TEST_F(Export, MetricsStandInTheWatchesOwnPeriods) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  put("run", 40, minutes(60));
  put("run", 0.5, minutes(50));
  put("other", 99, minutes(50));
  ASSERT_EQ(run().status, 0);
  const json::Document line = line_of_job("run");
  const auto metrics = line.root().find("metrics");
  ASSERT_TRUE(metrics && metrics->size() == 1) << json::to_text(line.root());
  const json::Value metric = *metrics->elements().begin();
  EXPECT_EQ(metric.find("metric")->as_string(), "GPUUtilization");
  EXPECT_EQ(metric.find("period_seconds")->as_integer(), 300);
  EXPECT_EQ(metric.find("from")->as_string(), "2026-07-02T12:50:00Z");
  EXPECT_EQ(json::to_text(*metric.find("series")), R"({"algo-1":[40,null,0.5]})");
  EXPECT_EQ(aws_.count("GetMetricData"), 1);
}

TEST_F(Export, ManyHostsAreAskedForInCallsOfFiveHundred) {
  aws_.place({.name = "wide", .count = 600, .age = hours(2), .since = hours(1)});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 2);
}

TEST_F(Export, APolicyWithoutWatchesAsksForNoMetricsAndNoLogs) {
  policy_ = R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}},
                "actions": ["notify"]}]})";
  aws_.place({.name = "run"});
  aws_.place({.name = "bad",
              .status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 0);
}

TEST_F(Export, LogsAreReadOnlyWhereTheReasonDoesNotTell) {
  aws_.place(
      {.name = "clear",
       .status = "Failed",
       .secondary = "Failed",
       .more =
           R"(, "FailureReason": "InternalServerError: We encountered an internal error. Please try again.")"});
  ASSERT_EQ(run().status, 0);
  const auto before = aws_.count("FilterLogEvents");
  ::unlink(folder_.file().c_str());
  aws_.place({.name = "vague",
              .status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  ASSERT_EQ(run().status, 0);
  EXPECT_GT(aws_.count("FilterLogEvents"), before);
  EXPECT_TRUE(line_of_job("vague").root().find("logs"));
  EXPECT_FALSE(line_of_job("clear").root().find("logs"));
}

TEST_F(Export, DescribeIsAskedOnlyForWhatSearchLacks) {
  policy_ = R"({"version": 1, "rules": [{"name": "r", "actions": ["notify"],
      "match": {"job": {"RemoteDebugConfig": {"EnableRemoteDebug": [true]}}}}]})";
  aws_.place({.name = "run", .more = R"(, "RemoteDebugConfig": {"EnableRemoteDebug": true})"});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 1);
  const json::Document line = line_of_job("run");
  EXPECT_TRUE(line.root().find("described"));
  EXPECT_TRUE(line.root().find("job")->find("RemoteDebugConfig"));
}

TEST_F(Export, F1_WhatIsDeniedIsNotedAndNeverAbsent) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  aws_.place({.name = "next", .age = hours(30), .since = hours(29)});
  aws_.refuse("GetMetricData", kDenied, 99);
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "GetMetricData was denied")) << printed.error;
  EXPECT_EQ(aws_.count("GetMetricData"), 1);  // not asked again and again
  for (const char* const job : {"run", "next"})
    EXPECT_TRUE(line_of_job(job).root().find("unavailable")->find("metrics")) << job;
}

TEST_F(Export, AnAccountWithoutJobsIsSaidToBeThat) {
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "no training job was created in eu-central-1")) << printed.error;
  EXPECT_EQ(order(), "29| 30| 01| 02| end");
}

TEST_F(Export, WhatNoExportCanHaveIsSaidFirst) {
  policy_ = R"({"version": 1,
    "watches": {"beat": {"metric": "loss", "source": "algorithm", "statistic": "SampleCount",
                "period_seconds": 60, "periods": 10, "below": 1}},
    "rules": [{"name": "bare", "match": {"checkpoint": {"exists": [false]}}, "actions": ["notify"]}]})";
  const Printed printed = run(false, days(20));
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "the rule bare asks for `checkpoint`")) << printed.error;
  EXPECT_TRUE(has(printed.error,
                  "the watch beat has periods of 60 s, which CloudWatch keeps for 15 "
                  "days: of jobs before 2026-06-17 "))
      << printed.error;
}

TEST_F(Export, PricesOfTheTypesThatAreMetStandThereWithTheirDate) {
  aws_.place({.name = "run"});
  aws_.place({.name = "other", .type = "ml.p5.48xlarge"});
  const Printed printed = run();
  ASSERT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "the price list has none, or several, for ml.p5.48xlarge\n"))
      << printed.error;
  const auto all = lines();
  const auto prices = json::Document::parse(all[all.size() - 2]);
  ASSERT_TRUE(prices);
  const json::Value told = *prices->root().find("prices");
  EXPECT_EQ(told.find("published")->as_string(), "2026-06-20");
  EXPECT_EQ(json::to_text(*told.find("usd_per_hour")), R"({"ml.g5.12xlarge":7.1})");
}

TEST_F(Export, WhatATerminalWouldObeyIsEscaped) {
  aws_.place({.name = "run",
              .tags = {{"team",
                        "a\x1b[2J\xE2\x80\xAE"
                        "b"}}});
  ASSERT_EQ(run().status, 0);
  for (const std::string& line : lines())
    EXPECT_TRUE(line.find('\x1b') == std::string::npos && !has(line, "\xE2\x80\xAE")) << line;
  EXPECT_EQ(line_of_job("run").root().find("tags")->find("team")->as_string(),
            "a\x1b[2J\xE2\x80\xAE"
            "b");
}

TEST_F(Export, NoServiceIsAskedMoreThanFiveTimesASecond) {
  for (int n = 0; n < 15; ++n)
    aws_.place({.name = fmt::format("failed-{}", n), .status = "Failed", .secondary = "Failed"});
  aws::Pace pace;
  pace_ = &pace;
  const auto begin = clock_.now();
  EXPECT_EQ(run().status, 0);
  EXPECT_GE(aws_.count("FilterLogEvents"), 15);
  EXPECT_GT(clock_.now() - begin, seconds(2));
}

}  // namespace
}  // namespace trainwarden::cli::export_test
