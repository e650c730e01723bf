// Running and ended jobs as Search and Describe tell them, and a sweep over them.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/alarms/put_alarms.h"
#include "handlers/actions/restart/copy.h"
#include "handlers/actions/sweep/sweep.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions::sweep_test {

inline constexpr long kNow = 1783000213;

inline constexpr const char* kTagRule = R"(
  { "name": "required-tags",
    "match": { "job": { "TrainingJobStatus": ["InProgress"] }, "tags": { "team": [{ "exists": false }] } },
    "actions": ["stop"] })";

inline std::string arn(const std::string& job) {
  return "arn:aws:sagemaker:eu-central-1:111122223333:training-job/" + job;
}

// A job's members, as Describe and Search have them.
inline std::string members(const std::string& job, const std::string& status = "InProgress",
                           const std::string& secondary = "Training") {
  return fmt::format(
      R"("TrainingJobName":"{}","TrainingJobArn":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("CreationTime":{},"ResourceConfig":{{"InstanceType":"ml.g5.xlarge","InstanceCount":1}},)"
      R"("SecondaryStatusTransitions":[{{"Status":"{}","StartTime":{}}}])",
      job, arn(job), status, secondary, kNow - 7200, secondary, kNow - 3600);
}

inline constexpr const char* kTagged = R"([{"Key":"team","Value":"vision"}])";
inline constexpr const char* kUntagged = "[]";

inline std::string found(const std::string& job, const std::string& tags,
                         const std::string& status = "InProgress") {
  return fmt::format(R"({{"TrainingJob":{{{},"Tags":{}}}}})", members(job, status), tags);
}

inline std::string page(const std::vector<std::string>& results) {
  std::string list;
  for (const std::string& result : results) list += (list.empty() ? "" : ",") + result;
  return R"({"Results":[)" + list + "]}";
}

class SweepTest : public ScriptedAws {
 protected:
  SweepTest() : ScriptedAws(sys_millis(std::chrono::milliseconds(kNow * 1000))) {}

  static rules::Policy policy(const std::string& rules, int limit = 5,
                              const std::string& mode = "enforce") {
    auto parsed = rules::parse_policy(
        fmt::format(R"({{"version":1,"mode":"{}","limits":{{"stops_per_sweep":{}}},"rules":[{}]}})",
                    mode, limit, rules));
    EXPECT_TRUE(parsed) << parsed.error().message;
    return *std::move(parsed);
  }

  SweepReport run(const rules::Policy& with) {
    const aws::CallContext context{clock_.in(left_), "", &calls_};
    const Apis apis(client_, clock_, context, config_,
                    {.watch = &watch, .clear_alarms = &delete_alarms_of_ended, .copy = &copy});
    const ActivePolicy rules{with, rules::Mode::kEnforce};
    return sweep(
        rules, apis,
        {[] { return 0.0; }, [&](const Record& record) { records_.push_back(seen(record)); }});
  }

  // What a sweep begins with: our alarms, the running jobs in two halves, the ended ones in two.
  void expect_census(const std::string& alarms, const std::string& running,
                     const std::string& ended = page({})) {
    transport_.expect("DescribeAlarms", 200, R"({"MetricAlarms":[)" + alarms + "]}");
    transport_.expect("SageMaker.Search", 200, running).expect("SageMaker.Search", 200, page({}));
    transport_.expect("SageMaker.Search", 200, ended).expect("SageMaker.Search", 200, page({}));
  }
  void expect_look(const std::string& job, const std::string& tags) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members(job) + "}");
    transport_.expect("SageMaker.ListTags", 200, R"({"Tags":)" + tags + "}");
  }
  void expect_stop(const std::string& job) {
    expect_look(job, kUntagged);  // the look before acting
    transport_.expect("SageMaker.Search", 200, page({}));
    transport_.expect("SageMaker.AddTags", 200);
    transport_.expect("\"TrainingJobName\":\"" + job + "\"", 200, "");
  }

  std::chrono::milliseconds left_{300'000};
  std::vector<aws::CallMade> calls_;
  std::vector<Record> records_;
};

}  // namespace trainwarden::actions::sweep_test
