// What was and what would have been, for people and for programs: the same numbers in each form.
#pragma once

#include <string>

#include "handlers/cli/page.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// For a terminal; names, tags and reasons are untrusted, and their control characters are shown.
void print_findings(const rules::Findings& findings, Page& page);

// Members of an object that is open.
void write_findings(json::Sink& sink, const rules::Findings& findings);

// One HTML file that loads nothing: its style and pictures stand in it, and a policy in its head
// forbids the rest. Names, tags and reasons are escaped.
std::string html_of(const rules::Findings& findings);

}  // namespace trainwarden::cli
