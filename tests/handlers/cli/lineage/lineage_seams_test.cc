// The seams of a lineage: a metric's last value before a copy, and its first in it.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/handlers/cli/explain/ask_fixture.h"

namespace trainwarden::cli::lineage_seams_test {
namespace {

using ask_fixture::AskAws;
using std::chrono::hours;
using std::chrono::minutes;
using testing::kDenied;

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

}  // namespace
}  // namespace trainwarden::cli::lineage_seams_test
