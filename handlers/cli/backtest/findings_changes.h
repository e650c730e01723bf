// Compares what two policies would have done: only the jobs whose decision changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "handlers/cli/terminal/page.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Indices of the jobs that would have been stopped by a different rule or at a different time, or
// whose other actions differ. Rules are compared by name. Both findings must be of one export.
std::vector<std::size_t> changed_jobs(const rules::Findings& before, const rules::Findings& after);

void print_changes(const rules::Findings& before, const rules::Findings& after, Page& page);
// Writes the members into an open object.
void write_changes(json::Sink& sink, const rules::Findings& before, const rules::Findings& after);

}  // namespace trainwarden::cli
