// Commands that ask AWS about a job and change nothing, on the in-process AWS.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "handlers/cli/diagnose/diagnose_job_command.h"
#include "handlers/cli/explain/explain_command.h"
#include "handlers/cli/explain/explain_job_command.h"
#include "handlers/cli/lineage/lineage_command.h"
#include "tests/handlers/cli/aws_fixture.h"

namespace trainwarden::cli::ask_fixture {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::PlacedJob;

inline constexpr const char* kPolicy = R"({"version": 1, "mode": "enforce",
  "watches": {"gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum",
              "period_seconds": 300, "periods": 3, "at_most": 1, "missing": "notBreaching"}},
  "rules": [
  {"name": "required-tags", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
   "tags": {"model": [{"exists": false}]}}, "actions": ["stop"]},
  {"name": "bugs", "match": {"failure": {"label": ["user_code"]}}, "actions": ["notify"]},
  {"name": "idle", "match": {"alarm": {"watch": ["gpu-idle"], "state": ["ALARM"]}},
   "actions": ["stop"]},
  {"name": "ours", "match": {"event": {"account": ["111122223333"], "region": ["eu-central-1"]},
   "job": {"SecondaryStatus": ["Training"]}}, "actions": ["notify"]}]})";

class AskAws : public AwsFixture {
 protected:
  AskAws() : AwsFixture(kBegin) {}

  Printed explain(ExplainJobInputs inputs = {.job = "job-1", .policy = kPolicy}) {
    return with_apis([&](const actions::Apis& apis) { return explain_job(inputs, table_, apis); });
  }
  Printed diagnose(bool why = false) {
    return with_apis(
        [&](const actions::Apis& apis) { return diagnose_job({"job-1", why}, {}, apis); });
  }
  Printed tree(const std::string& job) {
    return with_apis([&](const actions::Apis& apis) { return lineage({job, {}}, {}, apis); });
  }

  void log(const std::string& line) {
    constexpr const char* kGroup = "/aws/sagemaker/TrainingJobs";
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"job-1/algo-1-1"}})", kGroup));
    const auto at = (clock_.now() - hours(1)).time_since_epoch().count();
    ASSERT_TRUE(aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"job-1/algo-1-1","logEvents":[{{"timestamp":{},"message":"{}"}}]}})",
            kGroup, at, line)));
  }
  void put(const std::string& metric, const std::string& dimension, const std::string& value,
           double number, sys_millis at) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"{}",)"
            R"("Dimensions":[{{"Name":"{}","Value":"{}"}}],"Timestamp":{},"Value":{}}}]}})",
            metric, dimension, value, at.time_since_epoch().count() / 1000, number)));
  }
  static std::string where(const Printed& printed) { return printed.output + printed.error; }

  static constexpr sys_millis kBegin{std::chrono::milliseconds(1'783'000'200'000)};
  std::optional<aws::Table> table_;
};

}  // namespace trainwarden::cli::ask_fixture
