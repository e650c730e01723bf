// What another policy would have done otherwise: only the jobs whose decision changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "handlers/cli/page.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Indices of the jobs that another rule would have stopped or at another time, or whose other
// actions differ. Rules are the same where their names are. Both are of one export.
std::vector<std::size_t> changed_jobs(const rules::Findings& before, const rules::Findings& after);

void print_changes(const rules::Findings& before, const rules::Findings& after, Page& page);
// Members of an object that is open.
void write_changes(json::Sink& sink, const rules::Findings& before, const rules::Findings& after);

}  // namespace trainwarden::cli
