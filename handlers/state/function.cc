#include "handlers/state/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "awsapi/retry.h"
#include "handlers/actions/capabilities.h"
#include "handlers/actions/handle_job.h"
#include "handlers/actions/policy_source.h"
#include "handlers/actions/sweep.h"
#include "handlers/state/event.h"
#include "handlers/state/record_metrics.h"

namespace trainwarden::state {
namespace {

// Lambda gives init 10 s:
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
constexpr std::chrono::seconds kInitTime{8};
// A slow SSM must not keep jobs from being decided on: the last good policy is there.
constexpr std::chrono::seconds kRefreshTime{3};

}  // namespace

Result<StateFunction> StateFunction::start(const Environment& environment,
                                           http::Transport& transport, Clock& clock,
                                           const lambda::Log& log) {
  TRY(actions::Config config, actions::Config::from(environment));
  TRY(aws::ClientConfig client_config, aws::ClientConfig::from(environment));
  aws::Client client(std::move(client_config), transport, clock, aws::random_jitter());
  const aws::CallContext context{Deadline::at(clock.steady_now() + kInitTime), {}, nullptr};
  TRY(actions::LivePolicy policy,
      actions::LivePolicy::start(config.policy_source, actions::program_folder(), client, context,
                                 std::chrono::floor<std::chrono::seconds>(clock.now())));
  for (const std::string& warning : policy.policy().warnings())
    log.warn("policy", {{"warning", warning}});
  for (const std::string& warning : actions::not_yet(policy.policy()))
    log.warn("policy", {{"warning", warning}});
  if (!config.notify_topic.empty())
    log.warn("TRAINWARDEN_NOTIFY_TOPIC is set, but this version does not publish: it only logs");
  return StateFunction(std::move(config), std::move(policy), std::move(client), clock);
}

Result<std::string> StateFunction::sweep(const actions::RuleAt& rules, const actions::Apis& apis,
                                         const lambda::Log& log) {
  MetricsSum sum;
  const actions::SweepReport report = actions::sweep(
      rules, apis, {aws::random_jitter(), [&](const actions::Record& record) {
                      sum.add(record);
                      const auto failure = record.failure();
                      if (!failure && record.decisions.empty()) return;
                      const json::Document document = record.to_json();
                      log.record(failure ? lambda::Level::kError : lambda::Level::kInfo, "decision",
                                 "record", document.root());
                    }});
  sum.add(report);
  const json::Document document = report.to_json();
  auto failure = report.failure();
  log.record(failure ? lambda::Level::kError : lambda::Level::kInfo, "sweep", "record",
             document.root());
  for (const lambda::Metrics& metrics : sum.metrics()) log.metrics(metrics);
  if (failure) return fail(*std::move(failure));
  return json::to_text(document.root());
}

Result<std::string> StateFunction::handle(const lambda::Context& context) {
  TRY(const Event event, parse_event(context.invocation.payload));
  const std::string& region =
      std::visit([](const auto& e) -> const std::string& { return e.region; }, event);
  if (region != client_.region())
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("`region`: expected `{}`, where this function runs, found `{}`: deploy one "
                    "stack a region",
                    client_.region(), region.substr(0, 40)));
  std::vector<aws::CallMade> calls;
  const aws::CallContext call_context{context.deadline, context.invocation.trace_id, &calls};
  aws::CallContext refresh_context = call_context;
  refresh_context.deadline =
      std::min(call_context.deadline, Deadline::at(clock_->steady_now() + kRefreshTime));
  if (const auto error = policy_.refresh(client_, refresh_context,
                                         std::chrono::floor<std::chrono::seconds>(clock_->now()))) {
    context.log.error("the policy could not be read again: the last good one stays in force",
                      {{"error", error->message}});
    lambda::Metrics metrics(kMetricsNamespace, {});
    metrics.add("PolicyErrors", 1);
    context.log.metrics(metrics);
  }
  const actions::Apis apis(client_, *clock_, call_context, config_);
  const actions::RuleAt rules{policy_.policy(), config_.ceiling};
  const auto* const change = std::get_if<StateEvent>(&event);
  if (change == nullptr) return sweep(rules, apis, context.log);

  actions::Record record = actions::handle_job(rules, change->job, change->told, apis);
  record.calls = std::move(calls);
  const json::Document document = record.to_json();
  auto failure = record.failure();
  context.log.record(failure ? lambda::Level::kError : lambda::Level::kInfo, "decision", "record",
                     document.root());
  MetricsSum sum;
  sum.add(record);
  for (const lambda::Metrics& metrics : sum.metrics()) context.log.metrics(metrics);
  if (failure) return fail(*std::move(failure));
  return json::to_text(document.root());
}

}  // namespace trainwarden::state
