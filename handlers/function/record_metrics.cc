#include "handlers/function/record_metrics.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "runtime/base/arn.h"

namespace trainwarden::function {
namespace {

using Kind = rules::ActionResult::Kind;

constexpr std::array kSuppressing = {rules::Mode::kObserve, rules::Mode::kNotify};

// Actions that a rule wanted and its mode did not let happen.
int suppressed(const actions::Record& record, rules::Mode mode) {
  int count = 0;
  for (const auto& outcome : record.decisions) {
    if (outcome.decision.mode != mode) continue;
    for (const auto& action : outcome.actions)
      // Alarms are put in every mode (P3).
      if (action.action != rules::ActionKind::kNotify && action.action != rules::ActionKind::kWatch)
        ++count;
  }
  return count;
}

// A rule that asks for alarms has found nothing wrong.
bool is_violation(const actions::DecisionOutcome& outcome) {
  return std::ranges::any_of(outcome.decision.actions, [](const rules::Action& action) {
    return action.kind != rules::ActionKind::kWatch;
  });
}

// What was copied now is a new job, what was copied before is none; what a guard refused could have
// been a loop.
void add_restart(lambda::Metrics& metrics, const actions::ActionOutcome& restart,
                 rules::Trigger trigger) {
  if (restart.result.is(Kind::kCopied)) metrics.add("Restarts", 1);
  // A sweep meets the same refusal again and again.
  if (restart.result.is(Kind::kRefused) && trigger != rules::Trigger::kSweep)
    metrics.add("LoopGuard", 1);
}

// Nobody can be told of it by a notice, which needs a claim in the same table.
bool is_state_unavailable(const actions::Record& record) {
  const auto is_it = [](const std::optional<Error>& error) {
    return error && error->code == ErrorCode::kStateUnavailable;
  };
  const auto says_so = [&](const actions::ActionOutcome& outcome) {
    return outcome.state_unavailable || is_it(outcome.error);
  };
  return is_it(record.error) || (record.restart && says_so(*record.restart)) ||
         std::ranges::any_of(record.pending_notices, says_so, &actions::PendingNotice::outcome) ||
         std::ranges::any_of(record.decisions, [&](const actions::DecisionOutcome& decided) {
           return std::ranges::any_of(decided.actions, says_so);
         });
}

// CloudWatch takes printable ASCII that does not begin with a colon, and drops a metric with
// anything else:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html
std::string dimension_value(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  if (text.starts_with(':')) text.front() = '?';
  return text;
}

// A rule was skipped since the policy has no price for a machine of the job.
bool lacks_price(const actions::Record& record) {
  return std::ranges::any_of(record.skipped, [](const rules::Skipped& skipped) {
    return skipped.sources.contains(rules::Source::kPrices);
  });
}

}  // namespace

MetricsSum::MetricsSum() : plain_(kMetricsNamespace, {}) {}

void MetricsSum::add(const actions::Record& record) {
  plain_.add("Evaluated", 1);
  plain_.add("Violations",
             static_cast<double>(std::ranges::count_if(record.decisions, is_violation)));
  for (const auto& outcome : record.decisions)
    for (const auto& action : outcome.actions)
      if (action.result.is(Kind::kStopped) || action.result.is(Kind::kTunerStopped)) {
        add_stop(outcome.decision.rule);
        if (action.saved_usd) plain_.add("SavedUSD", *action.saved_usd, lambda::Unit::kNone);
      } else if (action.result.is(Kind::kReleased)) {
        plain_.add("Released", 1);
        if (action.saved_usd) plain_.add("SavedUSD", *action.saved_usd, lambda::Unit::kNone);
      } else if (action.result.is(Kind::kWarned)) {
        plain_.add("Warned", 1);
      } else if (action.result.is(Kind::kHeldBack)) {
        plain_.add("HeldBack", 1);
      } else if (action.action == rules::ActionKind::kRestart) {
        add_restart(plain_, action, record.trigger);
      }
  const actions::AlarmChanges alarms = record.alarms();
  if (!alarms.created.empty())
    plain_.add("AlarmsCreated", static_cast<double>(alarms.created.size()));
  if (!alarms.deleted.empty())
    plain_.add("AlarmsDeleted", static_cast<double>(alarms.deleted.size()));
  if (!alarms.left.empty()) plain_.add("AlarmsLeft", static_cast<double>(alarms.left.size()));
  if (is_state_unavailable(record)) plain_.add("StateUnavailable", 1);
  if (lacks_price(record)) plain_.add("Unpriced", 1);
  if (!record.unknown_members.empty()) plain_.add("UnknownMembers", 1);
  if (record.blind) plain_.add("Blind", 1);
  if (record.restart) {
    add_restart(plain_, *record.restart, record.trigger);
    if (record.restart->result.is_because(rules::Why::kRestartsPerHour)) plain_.add("HeldBack", 1);
  }
  for (const auto& call : record.calls)
    if (call.throttled()) plain_.add("Throttled", 1);
  for (std::size_t i = 0; i < kSuppressing.size(); ++i)
    suppressed_[i] += suppressed(record, kSuppressing[i]);
}

void MetricsSum::add_stop(const std::string& rule) {
  plain_.add("Stops", 1);
  const auto known = std::ranges::find(stops_by_rule_, rule, &std::pair<std::string, int>::first);
  if (known != stops_by_rule_.end())
    ++known->second;
  else
    stops_by_rule_.emplace_back(rule, 1);
}

void MetricsSum::count(std::string_view name, std::size_t number) {
  plain_.add(name, static_cast<double>(number));
}

std::vector<lambda::Metrics> MetricsSum::metrics() const {
  std::vector<lambda::Metrics> all{plain_};
  for (std::size_t i = 0; i < kSuppressing.size(); ++i) {
    if (suppressed_[i] == 0) continue;
    all.emplace_back(kMetricsNamespace,
                     std::pair<std::string, std::string>("Mode", rules::name(kSuppressing[i])));
    all.back().add("Suppressed", suppressed_[i]);
  }
  for (const auto& [rule, stops] : stops_by_rule_) {
    all.emplace_back(kMetricsNamespace,
                     std::pair<std::string, std::string>("Rule", dimension_value(rule)));
    all.back().add("StopsByRule", stops);
  }
  return all;
}

namespace {

// The function's name in its ARN, without a version or alias; empty if there is none.
std::string function_name(std::string_view function_arn) {
  constexpr std::string_view kFunction = "function:";
  const std::string_view resource = arn_field(function_arn, ArnField::kResource);
  if (!resource.starts_with(kFunction)) return {};
  const std::string_view name = resource.substr(kFunction.size());
  return std::string(name.substr(0, name.find(':')));
}

// Without the dimension if it has no value.
lambda::Metrics metrics_of(std::pair<std::string, std::string> dimension) {
  if (dimension.second.empty()) dimension = {};
  return {kMetricsNamespace, std::move(dimension)};
}

}  // namespace

lambda::Metrics sweep_completed(std::string_view function_arn) {
  lambda::Metrics metrics =
      metrics_of(std::pair<std::string, std::string>("FunctionName", function_name(function_arn)));
  metrics.add("SweepCompleted", 1);
  return metrics;
}

lambda::Metrics sweep_left(std::string_view function_arn, std::size_t left) {
  lambda::Metrics metrics =
      metrics_of(std::pair<std::string, std::string>("FunctionName", function_name(function_arn)));
  metrics.add("SweepLeft", static_cast<double>(left));
  return metrics;
}

void count_policy_error(const lambda::Log& log) {
  lambda::Metrics metrics(kMetricsNamespace, {});
  metrics.add("PolicyErrors", 1);
  log.metrics(metrics);
}

}  // namespace trainwarden::function
