#include "tests/restart/history.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/outcome/outcome_text.h"
#include "tests/support/transcript.h"

namespace trainwarden::testing {
rules::Policy policy(const std::string& rules, const std::string& mode) {
  auto parsed =
      rules::parse_policy(fmt::format(R"({{"version":1,"mode":"{}","rules":[{}]}})", mode, rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

void History::place(const std::string& status, const std::string& secondary,
                    const std::string& more, const std::string& name) {
  aws_.place({.name = name,
              .status = status,
              .secondary = secondary,
              .type = "ml.p4d.24xlarge",
              .count = 2,
              .since = std::chrono::seconds(0),
              .more = fmt::format(R"(,"EnableManagedSpotTraining":true,
                  "StoppingCondition":{{"MaxRuntimeInSeconds":172800,"MaxWaitTimeInSeconds":200000}},
                  "CheckpointConfig":{{"S3Uri":"s3://example-bucket/checkpoints/{}"}},
                  "HyperParameters":{{"epochs":"3","resume":""}}{})",
                                  kJob, more)});
}

void History::transition(const std::string& secondary, const std::string& reason,
                         const std::string& name) {
  aws_.enter(name, secondary, reason);
}

aws::Client History::client() {
  return {{{"AKIDEXAMPLE", Secret("s"), Secret()},
           "eu-central-1",
           1,
           aws::Endpoints::all_at("https://api.example/")},
          aws_,
          clock_,
          [] { return 0.0; }};
}

actions::ActionOutcome History::restart_by_hand(const rules::Restart& options) {
  const aws::CallContext context{clock_.in(std::chrono::seconds(60)), "", nullptr};
  aws::Client own = client();
  const actions::Apis apis(
      own, clock_, context, config_,
      actions::Powers{.watch = nullptr, .clear_alarms = nullptr, .copy = &actions::copy});
  const actions::JobRef job{*aws::JobName::parse(kJob), {}};
  const auto original = actions::read_settled_snapshot(job, std::nullopt, apis);
  EXPECT_TRUE(original) << original.error().message;
  auto outcome = actions::restart_by_hand(*original, job, options, apis);
  actions::Record record;
  record.intent = outcome;
  transcribe("by hand", json::to_text(record.to_json().root()) + outcome.note);
  return outcome;
}

std::optional<actions::Record> History::handle(const rules::JobEvent& event, bool copies) {
  const aws::CallContext context{clock_.in(std::chrono::seconds(60)), "", nullptr};
  // Each delivery may meet another process.
  aws::Client own = client();
  const actions::Apis apis(
      own, clock_, context, config_,
      copies ? actions::Powers{.watch = nullptr, .clear_alarms = nullptr, .copy = &actions::copy}
             : actions::Powers{});
  try {
    auto record = actions::handle_job({policy_, config_.ceiling},
                                      {*aws::JobName::parse(event.job_name), {}}, event, apis);
    transcribe("record", json::to_text(record.to_json().root()));
    return record;
  } catch (const Killed&) {
    return std::nullopt;
  }
}

std::optional<actions::Record> History::deliver(const std::string& status,
                                                const std::string& secondary,
                                                const std::string& job) {
  rules::JobEvent event;
  event.trigger = rules::Trigger::kState;
  event.job_name = job;
  event.training_job_status = status;
  event.secondary_status = secondary;
  if (const auto* const found = aws_.find(job))
    event.creation_time = std::chrono::floor<std::chrono::seconds>(found->machine.state().created);
  return handle(event);
}

bool History::sweep() {
  std::vector<std::string> names{kJob};
  for (const std::string& name : aws_.created()) names.push_back(name);
  for (const std::string& name : names) {
    const auto* const job = aws_.find(name);
    if (job == nullptr) continue;
    const auto& state = job->machine.state();
    const bool ended = localaws::ended(state.status);
    if (ended && clock_.now() - state.last_modified > std::chrono::hours(26)) continue;
    rules::JobEvent event;
    event.trigger = rules::Trigger::kSweep;
    event.job_name = name;
    if (!handle(event)) return false;
  }
  return true;
}

std::vector<std::string> History::copies_of(const std::string& job) {
  std::vector<std::string> out;
  for (const std::string& name : aws_.created())
    if (aws_.tag(name, "trainwarden:parent") == job) out.push_back(name);
  return out;
}

std::string result_of(const actions::Record& record, rules::ActionKind kind) {
  for (const auto& decision : record.decisions)
    for (const auto& action : decision.actions)
      if (action.action == kind)
        return action.error ? rules::text(action.result) + " !" + action.error->message
                            : rules::text(action.result);
  return "-";
}

std::string intent_of(const actions::Record& record) {
  if (!record.intent) return "-";
  return record.intent->error
             ? rules::text(record.intent->result) + " !" + record.intent->error->message
             : rules::text(record.intent->result);
}

}  // namespace trainwarden::testing
