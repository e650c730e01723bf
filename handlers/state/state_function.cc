#include "handlers/state/state_function.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/alarms/put_alarms.h"
#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/release/release.h"
#include "handlers/actions/restart/copy.h"
#include "handlers/actions/sweep/sweep.h"
#include "handlers/actions/weekly/weekly.h"
#include "handlers/function/record_metrics.h"
#include "handlers/state/state_event.h"
#include "runtime/base/arn.h"
#include "runtime/json/one_line.h"

namespace trainwarden::state {
namespace {

// Counts what the records of the sweep's jobs do not contain.
void count(const actions::SweepReport& report, function::MetricsSum& sum) {
  sum.count("Orphans", report.orphans);
  if (report.foreign > 0) sum.count("ForeignAlarms", report.foreign);
  if (report.throttled > 0) sum.count("Throttled", report.throttled);
  if (report.state_unavailable) sum.count("StateUnavailable", 1);
}

// No job's record contains what a report did.
void count(const actions::WeeklyRecord& report, function::MetricsSum& sum) {
  if (report.throttled > 0) sum.count("Throttled", report.throttled);
  if (report.state_unavailable) sum.count("StateUnavailable", 1);
}

}  // namespace

Result<StateFunction> StateFunction::start(const Environment& environment,
                                           http::Transport& transport, Clock& clock,
                                           const lambda::Log& log, std::function<double()> random) {
  TRY(function::Session session,
      function::Session::start(environment, transport, clock, log, std::move(random)));
  const auto watches = [](const rules::Rule& rule) { return rule.has(rules::ActionKind::kWatch); };
  if (session.config().alarms && session.config().alarm_topic.empty() &&
      std::ranges::any_of(session.rules().policy.rules(), watches))
    log.warn("TRAINWARDEN_ALARM_TOPIC is not set: no alarm is put, and no job is watched");
  return StateFunction(std::move(session));
}

Result<std::string> StateFunction::sweep(const actions::ActivePolicy& rules,
                                         const actions::Apis& apis,
                                         const lambda::Context& context) {
  const lambda::Log& log = context.log;
  function::MetricsSum sum;
  aws::Pace pace;
  const actions::SweepReport report =
      actions::sweep(rules, apis,
                     {session_.random(),
                      [&](const actions::Record& record) {
                        sum.add(record);
                        const auto failure = record.failure();
                        if (!failure && !record.restart && record.pending_notices.empty() &&
                            record.decisions.empty() && record.skipped.empty() &&
                            record.left_over.empty() && !record.measurement)
                          return;
                        const json::Document document = record.to_json();
                        log.record(failure ? lambda::Level::kError : lambda::Level::kInfo,
                                   "decision", "record", document.root());
                      },
                      &pace});
  count(report, sum);
  const json::Document document = report.to_json();
  auto failure = report.failure();
  log.record(failure ? lambda::Level::kError : lambda::Level::kInfo, "sweep", "record",
             document.root());
  for (const lambda::Metrics& metrics : sum.metrics()) log.metrics(metrics);
  const std::string& function_arn = context.invocation.function_arn;
  if (!report.census_error) log.metrics(function::sweep_completed(function_arn));
  if (const std::size_t left = report.work_left(); left > 0)
    log.metrics(function::sweep_left(function_arn, left));
  if (failure) return fail(*std::move(failure));
  return json::one_line(json::to_text(document.root()));
}

Result<std::string> StateFunction::report_week(sys_seconds time, const actions::Apis& apis,
                                               const lambda::Context& context) {
  aws::Pace pace;
  actions::WeeklyRecord report = actions::report_week(session_.rules(), apis, time, &pace);
  const json::Document document = report.to_json();
  context.log.record(report.error ? lambda::Level::kError : lambda::Level::kInfo, "report",
                     "record", document.root());
  function::MetricsSum sum;
  count(report, sum);
  for (const lambda::Metrics& metrics : sum.metrics()) context.log.metrics(metrics);
  if (report.error) return fail(*std::move(report.error));
  return json::one_line(json::to_text(document.root()));
}

Result<std::string> StateFunction::handle(const lambda::Context& context) {
  TRY(const Event event, parse_event(context.invocation.payload));
  const std::string& region = *std::visit([](const auto& e) { return &e.region; }, event);
  if (region != session_.client().region())
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("`region`: expected `{}`, where this function runs, found `{}`: deploy one "
                    "stack a region",
                    session_.client().region(), region.substr(0, 40)));
  const auto* const change = std::get_if<StateEvent>(&event);
  // An EventBridge rule can forward another account's events, whose jobs may have the same names as
  // ours.
  const std::string& account = *std::visit([](const auto& e) { return &e.account; }, event);
  const std::string_view own_account =
      arn_field(context.invocation.function_arn, ArnField::kAccount);
  if (!own_account.empty() && account != own_account)
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("`account`: expected `{}`, where this function runs, found `{}`: deploy one "
                    "stack an account",
                    own_account, account.substr(0, 40)));
  std::vector<aws::CallMade> made;
  const aws::CallContext calls = function::Session::calls(context, &made);
  session_.refresh(context, calls);
  const actions::Apis apis(session_.client(), session_.clock(), calls, session_.config(),
                           {.watch = &actions::watch,
                            .release = &actions::release,
                            .clear_alarms = &actions::delete_alarms_of_ended,
                            .copy = &actions::make_pending_copy,
                            .delete_alarms = &actions::delete_alarms},
                           context.invocation.request_id.view(), account);
  const actions::ActivePolicy rules = session_.rules();
  if (const auto* const weekly = std::get_if<WeeklyEvent>(&event))
    return report_week(weekly->time, apis, context);
  if (change == nullptr) return sweep(rules, apis, context);

  actions::Record record = actions::handle_job(rules, change->job, change->job_event, apis);
  record.calls = std::move(made);
  std::string text = record.to_text();
  auto failure = record.failure();
  function::MetricsSum sum;
  sum.add(record);
  context.log.record(failure ? lambda::Level::kError : lambda::Level::kInfo, "decision", "record",
                     text, sum.metrics());
  if (failure) return fail(*std::move(failure));
  return text;
}

}  // namespace trainwarden::state
