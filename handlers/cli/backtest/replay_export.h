// Reads an export (export_lines.h) line by line and replays it against a policy, for `backtest` and
// `report`. Makes no calls.
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

// The outcome of one event of one job, as the deployed function would record it.
struct ReplayedEvent {
  const rules::JobEvent& event;
  sys_seconds at;
  const rules::Evaluation& evaluation;
};

struct ReplayOptions {
  std::string policy_name = {};
  // True: every rule is enforced, whatever its mode, to show what the policy would do once it acts.
  // False: the policy's modes apply, and rules that only observe change nothing.
  bool as_enforced = true;
  std::size_t curves = 12;  // keep the metrics of this many of the costliest jobs
  std::function<void(const ReplayedEvent&)> on_event = {};  // each decision, in order of time
};

// policy: nullptr to report only what happened, without what a policy would have done. Streams the
// export: only jobs that ran at the same moment are held in memory together. kInvalidInput, naming
// the line, if the input is no export. A line that is broken or too long is counted and left out,
// and an export without its last line has `complete = false`.
Result<rules::Findings> replay_export(std::istream& lines, const rules::Policy* policy,
                                      const ReplayOptions& options);

}  // namespace trainwarden::cli
