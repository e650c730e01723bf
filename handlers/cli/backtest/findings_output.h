// What jobs did and what a policy would have done, for people and for programs: each form shows the
// same numbers.
#pragma once

#include <string>

#include "handlers/cli/terminal/page.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// For a terminal. Names, tags and reasons are untrusted: their control characters are escaped.
void print_findings(const rules::Findings& findings, Page& page);

// Writes the members into an open object.
void write_findings(json::Sink& sink, const rules::Findings& findings);

// One HTML file that loads nothing: its style and pictures are inline, and a content security
// policy in its head forbids the rest. Names, tags and reasons are escaped.
std::string html_of(const rules::Findings& findings);

}  // namespace trainwarden::cli
