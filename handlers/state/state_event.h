// The state function's events: EventBridge's "SageMaker Training Job State Change", scheduled
// events that ask for a sweep, and scheduled events that ask for the weekly report. The detail of a
// state change looks like DescribeTrainingJob's answer, but its shape varies (times as numbers or
// strings, members null or missing). So only the name, the statuses, the creation time and an ARN
// that matches them are taken from it; the rest is fetched. Source:
// https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "handlers/actions/context/job.h"
#include "handlers/rules/facts/source.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::state {

struct StateEvent {
  std::string id;
  std::string region;
  std::string account;
  actions::JobRef job;
  rules::JobEvent job_event;
};

// Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
struct ScheduledEvent {
  std::string id;
  std::string region;
  std::string account;
};

// Also a scheduled event: the rule's InputTransformer in template.yaml gives it a type of its own.
struct WeeklyEvent {
  std::string id;
  std::string region;
  std::string account;
  sys_seconds time;
};

using Event = std::variant<StateEvent, ScheduledEvent, WeeklyEvent>;

// kInvalidInput, naming the member, for an event that is not JSON, not one of ours, or malformed in
// a member that is needed.
Result<Event> parse_event(std::string_view payload);

}  // namespace trainwarden::state
