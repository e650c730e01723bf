// A job that was interrupted once and trains again, its watches, and what AWS answers about them.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/alarms/put_alarms.h"
#include "handlers/actions/handle/handle_job.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions::watch_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualClock;
using testing::ScriptedTransport;

inline constexpr long kNow = 1'783'000'213;
inline constexpr long kCreated = kNow - 7'200;
inline constexpr long kSegment = kNow - 60;  // the begin of the current Training segment
inline constexpr const char* kArn =
    "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";
inline constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";
inline constexpr const char* kDenied =
    R"({"__type":"AccessDeniedException","message":"not authorized"})";
inline constexpr const char* kNotFound =
    R"({"__type":"ValidationException","message":"Requested resource not found."})";

inline constexpr const char* kWatches = R"("watches": {
  "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
               "periods": 3, "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
  "disk": {"metric": "DiskUtilization", "statistic": "Maximum", "period_seconds": 60, "periods": 5,
           "above": 95, "hosts": "any"}})";
inline constexpr const char* kWatchGpus =
    R"({"name": "watch-gpus", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle"]}]})";
inline constexpr const char* kWatchBoth =
    R"({"name": "watch-both", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle", "disk"]}]})";
inline constexpr const char* kStopP5 =
    R"({"name": "no-p5", "match": {"job": {"ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}}},
        "actions": ["stop"]})";

inline rules::Policy policy(const std::string& rules, const std::string& mode = "enforce",
                            const std::string& watches = kWatches) {
  auto parsed = rules::parse_policy(fmt::format(R"({{"version":1,"mode":"{}",{}{}"rules":[{}]}})",
                                                mode, watches, watches.empty() ? "" : ",", rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

struct Job {
  std::string status = "InProgress";
  std::string secondary = "Training";
  std::string type = "ml.g5.12xlarge";
  int count = 1;
  long created = kCreated;
};

// Interrupted once, and training again since kSegment.
inline std::string describe(const Job& job = {}) {
  const bool training = job.secondary == "Training";
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}",
          "SecondaryStatus":"{}","CreationTime":{},
          "ResourceConfig":{{"InstanceType":"{}","InstanceCount":{}}},
          "SecondaryStatusTransitions":[{{"Status":"Training","StartTime":{},"EndTime":{}}},
            {{"Status":"Interrupted","StartTime":{},"EndTime":{}}},
            {{"Status":"{}","StartTime":{}{}}}]}})",
      kArn, job.status, job.secondary, job.created, job.type, job.count, kNow - 7'000, kNow - 600,
      kNow - 600, kSegment, job.secondary, kSegment,
      training ? "" : fmt::format(R"(,"EndTime":{})", kNow));
}

// What DescribeAlarms shows of the alarms that a watch makes for the job, all in that state.
inline std::string standing(std::string_view watch, const Job& job = {},
                            std::string_view state = "OK", double since = kNow - 10) {
  const rules::Policy rules = policy(kWatchBoth);
  const json::Document described = *json::Document::parse(describe(job));
  const rules::AlarmPlan plan = rules::plan_alarms(
      *rules.find_watch(watch), "job-1", rules::read_training_job(described.root()), kTopic);
  std::string out;
  for (const rules::PlannedAlarm& alarm : plan.alarms)
    out += fmt::format(
        R"({}{},"ActionsEnabled":true,"OKActions":[],"StateValue":"{}","StateUpdatedTimestamp":{},
            "StateTransitionedTimestamp":{}}})",
        out.empty() ? "" : ",", alarm.body.substr(0, alarm.body.size() - 1), state, kNow, since);
  return out;
}

inline std::string alarms(const std::string& list) { return R"({"MetricAlarms":[)" + list + "]}"; }

class WatchTest : public ScriptedAws {
 protected:
  WatchTest() : ScriptedAws(sys_millis(milliseconds(kNow * 1000 + 500))) {
    config_.alarm_topic = kTopic;
  }

  Record handle(const rules::Policy& policy) {
    const aws::CallContext context{clock_.in(milliseconds(60'000)), "", nullptr};
    const Apis apis(client_, clock_, context, config_, {&watch, &delete_alarms_of_ended});
    return seen(handle_job({policy, rules::Mode::kEnforce}, {*aws::JobName::parse("job-1"), kArn},
                           event_, apis));
  }

  void ends(const char* status, const char* secondary) {
    event_.training_job_status = status;
    event_.secondary_status = secondary;
  }

  ScriptedTransport& expect_describe(const Job& job = {}) {
    return transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  }
  ScriptedTransport& expect_alarms(const std::string& list) {
    return transport_.expect(R"("AlarmNamePrefix":"trainwarden/job-1/")", 200, alarms(list));
  }
  ScriptedTransport& expect_put(const std::string& name) {
    return transport_.expect(R"({"AlarmName":")" + name + "\"", 200);
  }
  ScriptedTransport& expect_delete(const std::string& names) {
    return transport_.expect(R"({"AlarmNames":[)" + names + "]}", 200);
  }

  static const ActionOutcome& outcome(const Record& record) {
    return record.decisions.at(0).actions.at(0);
  }
  static std::string result(const Record& record) {
    return record.decisions.empty() ? "(no decision)" : rules::text(outcome(record).result);
  }

  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Training",
                         .creation_time = sys_seconds(seconds(kCreated))};
};

using Names = std::vector<std::string>;

}  // namespace trainwarden::actions::watch_test
