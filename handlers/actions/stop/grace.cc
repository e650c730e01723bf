#include "handlers/actions/stop/grace.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/state/grace_steps.h"

namespace trainwarden::actions {
namespace {

using std::chrono::seconds;

using Kind = rules::ActionResult::Kind;
using Grace = rules::GraceDecision::Kind;

rules::GraceOrder order_of(const rules::Decision& decision, const rules::Policy& policy,
                           const Apis& apis) {
  return {.rule = decision.rule,
          .fingerprint = policy.rules()[decision.index].fingerprint,
          .sweep_interval = apis.config.sweep_interval};
}

rules::Reason later(sys_seconds until) { return {.why = rules::Why::kStopsLater, .at = until}; }

ActionOutcome stops_later(Kind kind, sys_seconds until) {
  return {rules::ActionKind::kStop, {.kind = kind, .reason = later(until)}};
}

}  // namespace

std::optional<ActionOutcome> handle_grace(const Subject& subject, const Rechecked& rechecked,
                                          const rules::Action& stop, const std::string& id,
                                          const rules::JobItem& item) {
  if (!rules::is_announced(stop)) return std::nullopt;
  const Apis& apis = subject.apis;
  const sys_seconds now = std::chrono::floor<seconds>(apis.now());
  rules::GraceOrder order = order_of(*rechecked.decision, subject.rules.policy, apis);
  order.until = now + stop.stop.grace;
  const std::vector<Prepared> notices =
      prepare_warning(subject, *rechecked.decision, *rechecked.sources, later(order.until));
  for (const Prepared& one : notices) order.notices.push_back(one.key);
  rules::GraceDecision found = rules::decide_grace(item, order, now).decision;
  if (found.kind == Grace::kAnnounce) {
    const auto changed = change_job_item(id, apis, [&](rules::JobItem was, sys_seconds at) {
      auto step = rules::decide_grace(std::move(was), order, at);
      found = step.decision;
      if (found.kind != Grace::kAnnounce) return std::move(step.next);
      return claim(std::move(step.next), notices, apis, at);
    });
    if (!changed) return failed(rules::ActionKind::kStop, changed.error());
    if (found.kind == Grace::kAnnounce) return stops_later(Kind::kWarned, found.until);
  }
  if (found.kind == Grace::kOver) return std::nullopt;
  if (const auto kept = review_graces(id, item, {&order.rule, 1}, {}, apis); !kept)
    return failed(rules::ActionKind::kStop, kept.error());
  return stops_later(Kind::kWarnedBefore, found.until);
}

GraceStage grace_stage(const std::string& id, const rules::Decision& decision,
                       const rules::Policy& policy, const Apis& apis) {
  const auto item = last_job_item(id, apis);
  if (!item) return GraceStage::kNotAnnounced;
  const rules::GraceOrder order = order_of(decision, policy, apis);
  if (rules::decide_grace(*item, order, apis.now()).decision.kind == Grace::kWait)
    return GraceStage::kWaits;
  return rules::was_counted(*item, order, apis.now()) ? GraceStage::kCounted
                                                      : GraceStage::kNotAnnounced;
}

Result<void> review_graces(const std::string& id, const rules::JobItem& item,
                           std::span<const std::string> held, std::span<const std::string> over,
                           const Apis& apis) {
  const seconds interval = apis.config.sweep_interval;
  const bool confirms = std::ranges::any_of(held, [&](const std::string& rule) {
    return rules::needs_confirming(item, rule, interval, apis.now());
  });
  if (over.empty() && !confirms) return {};
  CHECK_OK(change_job_item(id, apis, [&](rules::JobItem next, sys_seconds now) {
    for (const std::string& rule : held)
      next = rules::confirm_grace(std::move(next), rule, interval, now);
    for (const std::string& rule : over) next = rules::end_grace(std::move(next), rule);
    return next;
  }));
  return {};
}

}  // namespace trainwarden::actions
