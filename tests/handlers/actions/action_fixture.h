// The functions' actions on the in-process AWS. A test places jobs, lets events of them or a sweep
// be handled, and looks at what became of the world: the jobs, their tags, the alarms, the notices.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/alarms/put_alarms.h"
#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/release/release.h"
#include "handlers/actions/restart/copy.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/support/aws/in_process_aws.h"
#include "tests/support/aws/one_attempt_client.h"
#include "tests/support/manual_clock.h"
#include "tests/support/transcript.h"

namespace trainwarden::actions {

using rules::Why;
using Kind = rules::ActionResult::Kind;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::Tags;

inline constexpr const char* kModelName = R"(
  {"name": "required-tags",
   "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"model_name": [{"exists": false}]}},
   "actions": ["stop", "notify"], "message": "Training jobs need the tag model_name."})";
inline constexpr const char* kNoP5 = R"(
  {"name": "no-p5", "match": {"job": {"TrainingJobStatus": ["InProgress"],
                                      "ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}}},
   "actions": ["stop", "notify"]})";
inline const testing::PlacedJob kP5{.type = "ml.p5.48xlarge"};

// As many as a job takes.
inline Tags full_of_tags() {
  Tags full;
  for (int i = 0; i < 50; ++i) full.emplace_back(fmt::format("key{}", i), "v");
  return full;
}

// members: further ones of the policy, each with a comma after it.
inline rules::Policy policy(const std::string& rules, const std::string& mode = "enforce",
                            const std::string& members = "") {
  auto parsed = rules::parse_policy(
      fmt::format(R"({{"version":1,{}"mode":"{}","rules":[{}]}})", members, mode, rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

class ActionTest : public ::testing::Test {
 protected:
  static constexpr sys_millis kBegin{milliseconds(1'783'000'213'500)};  // 2026-07-02T13:50:13.5Z

  explicit ActionTest(sys_millis now = kBegin) : clock_(now) {
    config_.notify_topic = testing::kPeople;
    config_.alarm_topic = testing::kAlarmTopic;
    config_.table = testing::state_table();
  }

  // What an event tells of the state that the job is in now.
  rules::JobEvent event(const std::string& job = "job-1") const {
    const auto& state = aws_.find(job)->machine.state();
    return {.trigger = rules::Trigger::kState,
            .job_name = job,
            .training_job_status = state.status,
            .secondary_status = state.secondary,
            .creation_time = std::chrono::floor<seconds>(state.created)};
  }

  Record handle(const rules::Policy& policy, const rules::JobEvent& event) {
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, request_);
    Record record = handle_job(
        {policy, ceiling_},
        {*aws::JobName::parse(event.job_name), arn_is_told_ ? testing::arn_of(event.job_name) : ""},
        event, apis);
    testing::transcribe("record", json::to_text(record.to_json().root()));
    return record;
  }
  Record handle(const rules::Policy& policy) { return handle(policy, event()); }
  Record handle(const std::string& rules, const std::string& mode = "enforce") {
    return handle(policy(rules, mode));
  }

  static const ActionOutcome& outcome(const Record& record, std::size_t decision = 0,
                                      std::size_t action = 0) {
    static const ActionOutcome kNone{rules::ActionKind::kNotify};
    if (decision >= record.decisions.size()) return kNone;
    const auto& actions = record.decisions[decision].actions;
    return action < actions.size() ? actions[action] : kNone;
  }
  // kPending where there is no such action.
  static Kind kind(const Record& record, std::size_t decision = 0, std::size_t action = 0) {
    return outcome(record, decision, action).result.kind;
  }
  static bool because(const Record& record, Why why, std::size_t decision = 0,
                      std::size_t action = 0) {
    return outcome(record, decision, action).result.is_because(why);
  }

  // What a record tells of the look at its alarm: what was measured, or why nothing was.
  static std::string measured(const Record& record) {
    return record.measurement ? rules::text(*record.measurement) : std::string();
  }

  // What a stop by that rule, or with action restart a restart, leaves.
  Tags acted(const std::string& rule, seconds since, const std::string& action = "stop") const {
    return {{"trainwarden:action", action},
            {"trainwarden:rule", rule},
            {"trainwarden:reason", "because"},
            {"trainwarden:at", ago(since)}};
  }
  // The subject of the last notice to people, "" without any.
  std::string subject() const {
    const auto notices = aws_.notices();
    return notices.empty() ? "" : notices.back().subject;
  }
  bool told(std::string_view text) const {
    const auto notices = aws_.notices();
    return !notices.empty() && notices.back().body.find(text) != std::string::npos;
  }
  std::string attribute(std::string_view name) const {
    for (const auto& message : aws_.notices() | std::views::reverse | std::views::take(1))
      for (const auto& one : message.attributes)
        if (one.name == name) return one.value;
    return "";
  }

  static std::string instant(sys_millis at) { return rfc3339(std::chrono::floor<seconds>(at)); }
  std::string ago(seconds since) const { return instant(clock_.now() - since); }

  testing::ManualClock clock_;
  testing::InProcessAws aws_{clock_};
  aws::Client client_ = testing::one_attempt_client(aws_, clock_);
  Config config_;
  Powers powers_{.watch = &watch,
                 .release = &release,
                 .clear_alarms = &delete_alarms_of_ended,
                 .copy = &make_pending_copy,
                 .delete_alarms = &delete_alarms};
  rules::Mode ceiling_ = rules::Mode::kEnforce;
  milliseconds left_{60'000};
  std::string request_ = "request-1";  // Lambda's retries keep it
  bool arn_is_told_ = true;            // by the event
};

}  // namespace trainwarden::actions
