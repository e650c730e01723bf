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
  rules::GraceOrder order{.rule = rechecked.decision->rule,
                          .until = now + stop.stop.grace,
                          .sweep_interval = apis.config.sweep_interval};
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

bool waits_for_grace(const rules::Sources& sources, const rules::Decision& decision,
                     const rules::Action& stop, const Apis& apis) {
  if (!rules::is_announced(stop) || sources.job() == nullptr) return false;
  const auto id = job_item_id(*sources.job());
  if (!id) return false;
  const auto item = read_job_item(*id, apis);
  if (!item) return false;
  const rules::GraceOrder order{.rule = decision.rule,
                                .sweep_interval = apis.config.sweep_interval};
  return rules::decide_grace(*item, order, apis.now()).decision.kind == Grace::kWait;
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
