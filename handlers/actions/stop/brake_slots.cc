#include "handlers/actions/stop/brake_slots.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "handlers/actions/fetch/alarm_since.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/digest.h"
#include "handlers/rules/job/hourly_cost.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::actions {
namespace {

using rules::HoldingLimit;
using rules::Reason;
using rules::Why;

rules::BrakeLimits limits_of(const rules::Policy& policy) {
  const rules::Limits& limits = policy.limits();
  return {.stops = limits.stops_per_hour,
          .silent = limits.silent_stops_per_hour,
          .restarts = limits.restarts_per_hour};
}

// A failure to notify operators fails no action: the next job that is held back notifies them.
Result<void> notify_operators(const Reason& held, HoldingLimit by, DigestSender sender,
                              const ActivePolicy& rules, const Apis& apis) {
  if (apis.config.notify_topic.empty()) return {};
  CHECK_OK(notify_of_limit(held, sender, rules, apis));
  return change_brake(apis, [by](rules::BrakeItem item, sys_millis /*now*/) {
    return rules::operators_told(std::move(item), by);
  });
}

DigestSender sender_of(const Subject& subject) {
  return subject.sources.event().trigger == rules::Trigger::kSweep ? DigestSender::kSweep
                                                                   : DigestSender::kCaller;
}

// The earliest time at which this silence may have begun, the epoch if that is not known; a silence
// recorded before it was another one. For metrics that is when the alarm went into ALARM, for logs
// when the current Training segment began. So a silence that ended between two looks is not
// mistaken for this one.
Result<sys_seconds> silent_since(const rules::BrakeAsk& ask, const Subject& subject) {
  if (ask.by_logs) {
    const rules::TrainingJob* const job = subject.sources.job();
    return job == nullptr ? sys_seconds{} : rules::current_training(*job).value_or(sys_seconds{});
  }
  TRY(const auto since,
      in_alarm_since(subject.job, subject.sources.event().alarm->watch, subject.apis));
  return since.value_or(sys_seconds{});
}

// Why a silent job is not stopped yet; nullopt if it may be stopped.
Result<std::optional<Reason>> held_for_silence(const rules::BrakeAsk& ask, const Subject& subject) {
  const Apis& apis = subject.apis;
  const rules::Policy& policy = subject.rules.policy;
  const std::string& job = ask.silent_job.empty() ? ask.who : ask.silent_job;
  const auto& alarm = subject.sources.event().alarm;
  if (!ask.by_logs && !alarm) return fail(ErrorCode::kInternal, "silence without an alarm");
  rules::SilenceAsk silence{
      .who = ask.by_logs ? rules::silent_logs(job) : rules::silent_metric(job, alarm->watch),
      .by = apis.request,
      .role = ask.role,
      .usd_per_hour = ask.usd_per_hour};
  TRY(const rules::BrakeItem brake, last_brake(apis));
  if (brake.seen.contains(silence.who)) {
    TRY(silence.since, silent_since(ask, subject));
  }
  const std::int64_t limit = policy.limits().silent_stops_per_hour;
  rules::SilenceDecision decision;
  CHECK_OK(change_brake(apis, [&](rules::BrakeItem item, sys_millis now) {
    auto step = rules::note_silence(std::move(item), silence, limit,
                                    std::chrono::floor<std::chrono::seconds>(now));
    decision = step.decision;
    return std::move(step.next);
  }));
  using Kind = rules::SilenceDecision::Kind;
  switch (decision.kind) {
    case Kind::kMayStop:
      return std::nullopt;
    case Kind::kLookLater:
      return Reason{.why = Why::kSilentUntilRecheck, .at = decision.until};
    case Kind::kTooMany:
      break;
  }
  Reason held{.why = Why::kSilentPerHour, .number = decision.counted, .limit = limit};
  if (decision.tell)
    static_cast<void>(notify_operators(held, HoldingLimit::kSilentPerHour, sender_of(subject),
                                       subject.rules, apis));
  return held;
}

}  // namespace

rules::BrakeAsk brake_ask(const std::string& who, const rules::JobItem& item,
                          const rules::Decision& decision, const rules::TrainingJob& job, bool copy,
                          const Subject& subject) {
  return {
      .who = who,
      .stop = true,
      .silent = decision.rests_on_silence || decision.rests_on_silent_logs,
      .by_logs = !decision.rests_on_silence,
      .copy = copy,
      .role = std::string(job.role_arn),
      .usd_per_hour = rules::hourly_cost(job, subject.rules.policy.prices(), subject.apis.now()),
      .denied = item.refused.has_value()};
}

Result<BrakeSlot> take_brake_slot(const rules::BrakeAsk& ask, const Subject& subject) {
  const auto& [rules, job, sources, apis, queued] = subject;
  if (ask.silent) {
    TRY(auto held, held_for_silence(ask, subject));
    if (held) return BrakeSlot{.held = std::move(held)};
  }
  rules::BrakeAsk asked = ask;
  asked.queued = sources.event().trigger == rules::Trigger::kSweep;
  rules::BrakeDecision decision;
  CHECK_OK(change_brake(apis, [&](rules::BrakeItem item, sys_millis now) {
    auto step =
        rules::take_slots(std::move(item), asked, limits_of(rules.policy), now, apis.request);
    decision = step.decision;
    return std::move(step.next);
  }));
  if (decision.passes) {
    // The time that the write took counts towards the slot.
    const auto left = std::max(decision.until - apis.service_now(), std::chrono::milliseconds(0));
    return BrakeSlot{.until = Deadline::at(apis.clock.steady_now() + left)};
  }
  if (decision.waits_turn) return BrakeSlot{.held = Reason{.why = Why::kWaitsItsTurn}};
  Reason held{
      .why = rules::why_of(decision.held_by), .number = decision.counted, .limit = decision.limit};
  if (decision.tell)
    static_cast<void>(notify_operators(held, decision.held_by, sender_of(subject), rules, apis));
  return BrakeSlot{.held = std::move(held)};
}

void give_copy_slot_back(const rules::BrakeAsk& ask, const Apis& apis) {
  static_cast<void>(change_brake(apis, [&](rules::BrakeItem item, sys_millis /*now*/) {
    return rules::give_back_copy(std::move(item), ask);
  }));
}

Result<void> notify_of_sweep(const Reason& held, const ActivePolicy& rules, const Apis& apis) {
  if (apis.config.notify_topic.empty()) return {};
  const HoldingLimit by = held.why == Why::kCopiesPerSweep ? HoldingLimit::kCopiesPerSweep
                                                           : HoldingLimit::kStopsPerSweep;
  bool is_ours = false;
  CHECK_OK(change_brake(apis, [&](rules::BrakeItem item, sys_millis now) {
    auto step = rules::notify_of_sweep(std::move(item), by,
                                       std::chrono::floor<std::chrono::seconds>(now), apis.request);
    is_ours = step.decision;
    return std::move(step.next);
  }));
  return is_ours ? notify_operators(held, by, DigestSender::kSweep, rules, apis) : Result<void>();
}

aws::CallContext calls_until(const BrakeSlot& slot, const Apis& apis) {
  aws::CallContext out = apis.context;
  out.deadline = std::min(out.deadline, slot.until);
  return out;
}

}  // namespace trainwarden::actions
