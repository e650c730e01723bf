#include "tests/restart/history.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "handlers/actions/restart/copy.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "handlers/rules/state/item_id.h"
#include "tests/support/aws/one_attempt_client.h"
#include "tests/support/transcript.h"

namespace trainwarden::testing {
namespace {

constexpr std::chrono::seconds kTimeOut{60};

aws::CallContext context_of(const Clock& clock) {
  return {Deadline::at(clock.steady_now() + kTimeOut), "", nullptr};
}

std::string attribute(const localaws::Message& message, std::string_view name) {
  for (const auto& one : message.attributes)
    if (one.name == name) return one.value;
  return "";
}

// "" of what operators are told.
std::string job_of(const localaws::Message& message) {
  const auto notice = json::Document::parse(message.body);
  EXPECT_TRUE(notice) << message.body;
  const auto job = notice ? notice->root().find_present("job") : std::nullopt;
  const auto name = job ? job->find_present("name") : std::nullopt;
  return name ? std::string(name->as_string()) : std::string();
}

std::string result_text(const actions::ActionOutcome& outcome) {
  std::string out = rules::text(outcome.result);
  if (outcome.error) out += " !" + outcome.error->message;
  return out;
}

}  // namespace

rules::Policy policy(const std::string& rules, const std::string& mode,
                     const std::string& members) {
  auto parsed = rules::parse_policy(
      fmt::format(R"({{"version":1,{}"mode":"{}","notify":{{"format":"json"}},"rules":[{}]}})",
                  members, mode, rules));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *std::move(parsed);
}

void History::configure() {
  config_.table = state_table();
  config_.notify_topic = kPeople;
}

void History::enforce(const std::string& rules, const std::string& mode) {
  owned_ = policy(rules, mode);
  policy_ = &*owned_;
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

std::string History::next_request() {
  if (!std::exchange(repeats_, false)) ++requests_;
  return fmt::format("request-{}", requests_);
}

std::optional<actions::Record> History::handle_with(http::Transport& transport, Clock& clock,
                                                    const rules::JobEvent& event,
                                                    const std::string& request, bool copies) {
  // Each delivery may meet another process.
  aws::Client client = one_attempt_client(transport, clock);
  const aws::CallContext context = context_of(clock);
  const actions::Apis apis(client, clock, context, config_,
                           copies ? actions::Powers{.watch = nullptr,
                                                    .clear_alarms = nullptr,
                                                    .copy = &actions::make_pending_copy}
                                  : actions::Powers{},
                           request);
  try {
    auto record = actions::handle_job({*policy_, config_.ceiling},
                                      {*aws::JobName::parse(event.job_name), {}}, event, apis);
    transcribe("record", json::to_text(record.to_json().root()));
    return record;
  } catch (const Killed&) {
    return std::nullopt;
  }
}

std::optional<actions::SweepReport> History::sweep_with(http::Transport& transport, Clock& clock,
                                                        const std::string& request) {
  aws::Client client = one_attempt_client(transport, clock);
  const aws::CallContext context = context_of(clock);
  const actions::Apis apis(
      client, clock, context, config_,
      {.watch = nullptr, .clear_alarms = nullptr, .copy = &actions::make_pending_copy}, request);
  try {
    auto report = actions::sweep({*policy_, config_.ceiling}, apis,
                                 {[] { return 0.0; },
                                  [](const actions::Record& record) {
                                    transcribe("record", json::to_text(record.to_json().root()));
                                  }});
    transcribe("sweep", json::to_text(report.to_json().root()));
    return report;
  } catch (const Killed&) {
    return std::nullopt;
  }
}

std::optional<actions::Record> History::handle(const rules::JobEvent& event, bool copies) {
  return handle_with(aws_, clock_, event, next_request(), copies);
}

std::optional<actions::SweepReport> History::sweep() {
  return sweep_with(aws_, clock_, next_request());
}

void History::sweep_on(int times) {
  for (int i = 0; i < times; ++i) {
    aws_.pass(std::chrono::minutes(15));
    sweep();
  }
}

rules::JobEvent History::event(const std::string& status, const std::string& secondary,
                               const std::string& job) {
  rules::JobEvent out;
  out.trigger = rules::Trigger::kState;
  out.job_name = job;
  out.training_job_status = status;
  out.secondary_status = secondary;
  if (const auto* const found = aws_.find(job))
    out.creation_time = std::chrono::floor<std::chrono::seconds>(found->machine.state().created);
  return out;
}

std::optional<actions::Record> History::deliver(const std::string& status,
                                                const std::string& secondary,
                                                const std::string& job) {
  return handle(event(status, secondary, job));
}

std::vector<std::string> History::copies_of(const std::string& job) const {
  std::vector<std::string> out;
  for (const std::string& name : aws_.created())
    if (aws_.tag(name, "trainwarden:parent") == job) out.push_back(name);
  return out;
}

bool History::acted() const {
  return aws_.count("AddTags") + aws_.count("StopTrainingJob") + aws_.count("CreateTrainingJob") >
         0;
}

std::vector<SentNotice> History::notices() const {
  std::vector<SentNotice> out;
  for (const localaws::Message& message : aws_.notices())
    out.push_back({.job = job_of(message),
                   .rule = attribute(message, "rule"),
                   .outcome = attribute(message, "outcome"),
                   .text = message.subject + "\n" + message.body});
  return out;
}

std::ptrdiff_t History::notices(std::string_view outcome, std::string_view job) const {
  return std::ranges::count_if(
      notices(), [&](const SentNotice& one) { return one.outcome == outcome && one.job == job; });
}

void History::stop_by_hand(const std::string& job) {
  ASSERT_TRUE(aws_.call("StopTrainingJob", fmt::format(R"({{"TrainingJobName":"{}"}})", job)));
}

rules::JobItem History::item(const std::string& job) {
  const auto* const found = aws_.find(job);
  EXPECT_NE(found, nullptr) << job;
  if (found == nullptr) return {};
  aws::Client client = one_attempt_client(aws_, clock_);
  const aws::CallContext context = context_of(clock_);
  const actions::Apis apis(client, clock_, context, config_);
  aws_.death = {};
  auto item = actions::read_job_item(rules::job_item_id(job, found->machine.state().created), apis);
  EXPECT_TRUE(item) << item.error().message;
  return item ? *std::move(item) : rules::JobItem();
}

void History::restore(const std::string& content) {
  aws_.dynamodb().clear();
  const auto items = json::Document::parse(content);
  ASSERT_TRUE(items);
  for (const json::Member item : items->root().members()) {
    const auto put =
        aws_.call("PutItem", fmt::format(R"({{"TableName":"{}","Item":{}}})", config_.table->arn(),
                                         json::to_text(item.value)));
    ASSERT_TRUE(put) << put.error().message;
  }
}

std::string result_of(const actions::Record& record, rules::ActionKind kind) {
  for (const auto& decision : record.decisions)
    for (const auto& action : decision.actions)
      if (action.action == kind) return result_text(action);
  return "-";
}

std::string end_of(const actions::Record& record) {
  return record.restart ? result_text(*record.restart) : "-";
}

std::string end_of(const std::optional<actions::Record>& record) {
  return record ? end_of(*record) : "(died)";
}

}  // namespace trainwarden::testing
