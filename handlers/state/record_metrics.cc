#include "handlers/state/record_metrics.h"

#include <array>
#include <string>
#include <utility>

namespace trainwarden::state {
namespace {

bool throttled(const aws::CallMade& call) {
  return call.outcome.starts_with("Throttl") || call.outcome == "TooManyRequestsException";
}

// Actions that a rule wanted and its mode did not let happen.
int suppressed(const actions::Record& record, rules::Mode mode) {
  int count = 0;
  for (const auto& outcome : record.decisions) {
    if (outcome.decision.mode != mode) continue;
    for (const auto& action : outcome.actions)
      if (action.action != rules::ActionKind::kNotify) ++count;
  }
  return count;
}

}  // namespace

std::vector<lambda::Metrics> metrics_of(const actions::Record& record) {
  lambda::Metrics plain(kMetricsNamespace, {});
  plain.add("Evaluated", 1);
  plain.add("Violations", static_cast<double>(record.decisions.size()));
  for (const auto& outcome : record.decisions)
    for (const auto& action : outcome.actions)
      if (action.result == "stopped")
        plain.add("Stops", 1);
      else if (action.result.starts_with("held back"))
        plain.add("HeldBack", 1);
  for (const auto& call : record.calls)
    if (throttled(call)) plain.add("Throttled", 1);

  std::vector<lambda::Metrics> all;
  all.push_back(std::move(plain));
  for (const rules::Mode mode : {rules::Mode::kObserve, rules::Mode::kNotify}) {
    const int count = suppressed(record, mode);
    if (count == 0) continue;
    all.emplace_back(kMetricsNamespace,
                     std::pair<std::string, std::string>("Mode", rules::name(mode)));
    all.back().add("Suppressed", count);
  }
  return all;
}

}  // namespace trainwarden::state
