// A job, two rules about it, and what AWS answers: for the tests of what handle_job() does.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions::handle_job_test {

inline constexpr long kNow = 1783000213;
inline constexpr const char* kArn =
    "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";

inline constexpr const char* kTagRule = R"(
  { "name": "required-tags",
    "match": { "job": { "TrainingJobStatus": ["InProgress"] }, "tags": { "model_name": [{ "exists": false }] } },
    "actions": ["stop", "notify"], "message": "Training jobs need the tag model_name." })";
inline constexpr const char* kTypeRule = R"(
  { "name": "no-p5", "match": { "job": { "TrainingJobStatus": ["InProgress"],
                                         "ResourceConfig": { "InstanceType": ["ml.p5.48xlarge"] } } },
    "actions": ["stop"] })";

inline rules::Policy policy(const std::string& rules, const std::string& mode = "enforce") {
  auto parsed =
      rules::parse_policy(fmt::format(R"({{"version":1,"mode":"{}","rules":[{}]}})", mode, rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

struct Job {
  std::string status = "InProgress";
  std::string secondary = "Starting";
  std::string type = "ml.g5.12xlarge";
  long created = kNow - 60;
  std::string arn = kArn;
};

inline std::string describe(const Job& job = {}) {
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("CreationTime":{}.25,"ResourceConfig":{{"InstanceType":"{}","InstanceCount":1}},)"
      R"("HyperParameters":{{"password":"hunter2"}}}})",
      job.arn, job.status, job.secondary, job.created, job.type);
}

inline constexpr const char* kNoTags = R"({"Tags":[{"Key":"username","Value":"jo"}]})";
inline constexpr const char* kTagged = R"({"Tags":[{"Key":"model_name","Value":"mnist"}]})";
inline constexpr const char* kDenied =
    R"({"__type":"AccessDeniedException","message":"not authorized"})";

class HandleJobTest : public ScriptedAws {
 protected:
  HandleJobTest() : ScriptedAws(sys_millis(std::chrono::milliseconds(kNow * 1000 + 500))) {}

  Record handle(const rules::Policy& policy, rules::Mode ceiling = rules::Mode::kEnforce,
                const char* arn = kArn) {
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_);
    return seen(handle_job({policy, ceiling}, {*aws::JobName::parse("job-1"), arn}, event_, apis));
  }
  static std::string result(const Record& record, std::size_t decision = 0,
                            std::size_t action = 0) {
    if (decision >= record.decisions.size()) return "(no such decision)";
    const auto& actions = record.decisions[decision].actions;
    return action < actions.size() ? rules::text(actions[action].result) : "(no such action)";
  }
  testing::ScriptedTransport& look(const std::string& describe_answer,
                                   const std::string& tags_answer) {
    return transport_.expect("SageMaker.DescribeTrainingJob", 200, describe_answer)
        .expect("SageMaker.ListTags", 200, tags_answer);
  }

  // The count of the hour's stops, which precedes each stop (P7).
  testing::ScriptedTransport& expect_search(const std::string& results = "[]") {
    return transport_.expect("SageMaker.Search", 200, R"({"Results":)" + results + "}");
  }
  static std::string stopped_job(const std::string& name, long at) {
    return R"({"TrainingJob":{"TrainingJobName":")" + name +
           R"(","Tags":[{"Key":"trainwarden:action","Value":"stop"},{"Key":"trainwarden:at","Value":")" +
           rfc3339(sys_seconds(std::chrono::seconds(at))) + R"("}]}})";
  }

  std::chrono::milliseconds left_{60'000};
  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Starting",
                         .creation_time = sys_seconds(std::chrono::seconds(kNow - 60))};
};

}  // namespace trainwarden::actions::handle_job_test
