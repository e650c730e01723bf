// What `trainwarden report` is given.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/export_arguments.h"
#include "handlers/cli/findings_form.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct ReportInputs {
  bool has_policy = false;
  std::string file = {};  // an export, or `-`; empty: AWS is asked
  FindingsForm form = {};
  // What is exported where AWS is asked. Without a policy it is for one that looks at failures
  // only, so that the report can tell why jobs failed.
  ExportInputs wanted = {};
};

// Everything after the command's name; the policy's file is read. kInvalidInput for what is no use
// of it.
Result<ReportInputs> read_report(std::vector<char*> arguments);

}  // namespace trainwarden::cli
