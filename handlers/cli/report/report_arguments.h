// The arguments of `trainwarden report`.
#pragma once

#include <span>
#include <string>

#include "handlers/cli/backtest/findings_form.h"
#include "handlers/cli/export/export_arguments.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct ReportInputs {
  bool has_policy = false;
  std::string file = {};  // an export, or `-`; empty: AWS is asked
  FindingsForm form = {};
  // What to export if AWS is asked. Without a policy the export is made for one that looks at
  // failures only, so that the report can tell why jobs failed.
  ExportInputs wanted = {};
};

// Parses everything after the command's name and reads the policy's file. kInvalidInput for
// arguments that the command does not take.
Result<ReportInputs> read_report(std::span<char* const> arguments);

}  // namespace trainwarden::cli
