// An export (export_lines.h) read line by line, and replayed against a policy: what `backtest` and
// `report` show. Asks nobody.
#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <string>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// What one event of one job came to, as the deployed function would record it.
struct ReplayedEvent {
  const rules::JobEvent& event;
  sys_seconds at;
  const rules::Evaluation& evaluation;
};

struct ReplayOptions {
  std::string policy_name = {};
  // Every rule as enforced, whatever its mode: what the policy would do once it acts. False: modes
  // count as the policy has them, and what only observes changes nothing.
  bool as_enforced = true;
  std::size_t curves = 12;  // of so many of the costliest jobs, the metrics are kept
  std::function<void(const ReplayedEvent&)> on_event = {};  // each decision, in order of time
};

// policy: nullptr for what was, without what would have been. Streams: only jobs that live at one
// moment are held whole. kInvalidInput, naming the line, for what is no export; a line that is
// broken or too long is counted and left out, and an export without its end is `complete = false`.
Result<rules::Findings> replay_export(std::istream& lines, const rules::Policy* policy,
                                      const ReplayOptions& options);

}  // namespace trainwarden::cli
