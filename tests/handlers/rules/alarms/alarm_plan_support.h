// Alarms as they are planned for a watch and a job.
#pragma once

#include <fmt/core.h>

#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::alarm_plan_support {

using test::doc;

inline constexpr const char* kTopic = "arn:aws:sns:ap-southeast-1:111122223333:trainwarden-alarms";

// The watch of a policy that defines it so.
inline Watch watch(std::string_view members, std::string_view name = "gpu-idle") {
  const Policy policy = test::policy(fmt::format(
      R"({{"version": 1, "watches": {{"{}": {{{}}}}},
           "rules": [{{"name": "r", "match": {{"tags": {{"a": ["b"]}}}}, "actions": ["stop"]}}]}})",
      name, members));
  return policy.watches()[0];
}

inline constexpr const char* kIdle =
    R"("metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300, "periods": 3,
       "at_most": 1, "per_gpu": true, "missing": "notBreaching")";
inline constexpr const char* kCpu =
    R"("metric": "CPUUtilization", "statistic": "Average", "period_seconds": 60, "periods": 5)";
inline constexpr const char* kLoss =
    R"("metric": "train:loss", "source": "algorithm", "statistic": "SampleCount",
       "period_seconds": 600, "periods": 3, "below": 1, "missing": "breaching")";

inline std::string machines(std::string_view type, int count) {
  return fmt::format(R"("ResourceConfig": {{"InstanceType": "{}", "InstanceCount": {}}})", type,
                     count);
}

inline std::string none(const AlarmPlan& plan) {
  return plan.none ? text(*plan.none) : std::string();
}

inline AlarmPlan plan(const Watch& watch, std::string_view describe,
                      std::string_view job = "train-1") {
  return plan_alarms(watch, job, read_training_job(doc("{" + std::string(describe) + "}").root()),
                     kTopic);
}

inline std::string_view expression(const json::Document& body) {
  const json::Value first = *body.root().find("Metrics")->elements().begin();
  return first.find("Expression")->as_string();
}

inline constexpr const char* kMixed = R"("ResourceConfig": {"InstanceGroups": [
  {"InstanceGroupName": "a", "InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2},
  {"InstanceGroupName": "b", "InstanceType": "ml.g5.12xlarge", "InstanceCount": 3},
  {"InstanceGroupName": "c", "InstanceType": "ml.c5.xlarge", "InstanceCount": 6}]})";

}  // namespace trainwarden::rules::alarm_plan_support
