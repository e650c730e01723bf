// A job, rules that tell of it, and what AWS answers: for the tests of notices and tags.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/handle/notify.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions::notify_test {

inline constexpr long kNow = 1783000213;
inline constexpr const char* kArn =
    "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";
inline constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:people";

inline constexpr const char* kStops = R"(
  { "name": "required-tags", "match": { "tags": { "model_name": [{ "exists": false }] } },
    "actions": ["stop", "notify"], "message": "Training jobs need the tag model_name." })";
inline constexpr const char* kTypeStops = R"(
  { "name": "no-p5", "match": { "job": { "TrainingJobStatus": ["InProgress"],
                                         "ResourceConfig": { "InstanceType": ["ml.p5.48xlarge"] } } },
    "actions": ["stop", "notify"] })";
inline constexpr const char* kOnlyTells = R"(
  { "name": "look", "match": { "tags": { "model_name": [{ "exists": false }] } }, "actions": ["notify"] })";
inline constexpr const char* kTags = R"(
  { "name": "mark", "match": { "job": { "TrainingJobStatus": ["InProgress"] },
                               "tags": { "team": [{ "exists": false }] } },
    "actions": [{ "tag": { "team": "unknown" } }] })";

inline constexpr const char* kRestarts = R"(
  { "name": "again", "match": { "job": { "TrainingJobStatus": ["InProgress", "Failed"] },
                                "tags": { "model_name": [{ "exists": false }] } },
    "actions": [{ "restart": {} }, "notify"] })";

inline std::string describe(const std::string& status = "InProgress",
                            const std::string& secondary = "Training") {
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("CreationTime":{}.25,"ResourceConfig":{{"InstanceType":"ml.p5.48xlarge","InstanceCount":1}},)"
      R"("HyperParameters":{{"password":"hunter2"}}}})",
      kArn, status, secondary, kNow - 60);
}

inline std::string tags(const std::vector<std::pair<std::string, std::string>>& all) {
  return json::to_text(
      json::Document::build([&](json::Sink& sink) {
        sink.begin_object().key("Tags").begin_array();
        for (const auto& [key, value] : all)
          sink.begin_object().member("Key", key).member("Value", value).end_object();
        sink.end_array().end_object();
      }).root());
}

// What a stop by that rule leaves, so many seconds ago.
inline std::vector<std::pair<std::string, std::string>> stopped_by(const std::string& rule,
                                                                   long ago = 60) {
  return {{"trainwarden:action", "stop"},
          {"trainwarden:rule", rule},
          {"trainwarden:reason", "because"},
          {"trainwarden:at", rfc3339(sys_seconds(std::chrono::seconds(kNow - ago)))}};
}

// The tags' value of what enforce remembers of that rule.
inline std::string key_of(const std::string& rule, rules::Outcome outcome) {
  rules::Decision decision;
  decision.rule = rule;
  decision.mode = rules::Mode::kEnforce;
  return rules::notice_key(decision, outcome, {});
}

inline constexpr const char* kPublished =
    "<PublishResponse><PublishResult><MessageId>m-1</MessageId></PublishResult></PublishResponse>";
inline constexpr const char* kDenied =
    R"({"__type":"AccessDeniedException","message":"not authorized"})";
inline constexpr const char* kFull = R"({"__type":"ResourceLimitExceeded","message":"50 tags"})";

class NotifyTest : public ScriptedAws {
 public:
  NotifyTest() : ScriptedAws(sys_millis(std::chrono::milliseconds(kNow * 1000 + 500))) {
    config_.notify_topic = kTopic;
  }

  Record handle(const std::string& rules, const std::string& mode = "enforce",
                const std::string& members = "") {
    const auto policy = rules::parse_policy(
        fmt::format(R"({{"version":1,{}"mode":"{}","rules":[{}]}})", members, mode, rules));
    EXPECT_TRUE(policy) << policy.error().message;
    const aws::CallContext context{clock_.in(std::chrono::milliseconds(60'000)), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_);
    return seen(handle_job({*policy, rules::Mode::kEnforce}, {*aws::JobName::parse("job-1"), kArn},
                           event_, apis));
  }
  static std::string result(const Record& record, std::size_t action = 0,
                            std::size_t decision = 0) {
    if (decision >= record.decisions.size()) return "(no such decision)";
    const auto& actions = record.decisions[decision].actions;
    return action < actions.size() ? rules::text(actions[action].result) : "(no such action)";
  }

  NotifyTest& list(const std::string& answer = R"({"Tags":[]})") {
    transport_.expect("SageMaker.ListTags", 200, answer);
    return *this;
  }
  NotifyTest& look(const std::string& describe_answer, const std::string& tags_answer) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe_answer);
    return list(tags_answer);
  }
  NotifyTest& stop() {
    transport_.expect("SageMaker.Search", 200, R"({"Results":[]})");
    transport_.expect("SageMaker.AddTags", 200);
    transport_.expect("SageMaker.StopTrainingJob", 200, "");
    return *this;
  }
  NotifyTest& publish() {
    transport_.expect("Action=Publish", 200, kPublished);
    return *this;
  }
  NotifyTest& remember() {
    transport_.expect("trainwarden:told", 200);
    return *this;
  }
  // The value that the last AddTags gave to trainwarden:told.
  std::string told() const {
    const auto body = json::Document::parse(transport_.sent.back().body);
    return std::string((*body->root().find("Tags")->elements().begin()).find("Value")->as_string());
  }
  std::string published() const {
    for (const http::Request& request : transport_.sent)
      if (request.body.find("Action=Publish") != std::string::npos) return request.body;
    return {};
  }

  Powers powers_;
  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Training",
                         .creation_time = sys_seconds(std::chrono::seconds(kNow - 60))};
};

}  // namespace trainwarden::actions::notify_test
