// The form in which the user wants findings: `report` and `backtest` take the same options.
#pragma once

#include <string>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct FindingsForm {
  bool json = false;
  std::string html = {};  // the page's file; empty: none
  Screen screen = {};
};

// kInvalidInput where both forms are asked for.
Result<void> check_form(const FindingsForm& form);

// Returns the text for standard output, and writes the page to its file, which is replaced. The
// error names the file.
Result<std::string> output_of(const rules::Findings& findings, const FindingsForm& form);

}  // namespace trainwarden::cli
