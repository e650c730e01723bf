// What `trainwarden explain` is given: files, or a job that AWS is asked about.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/aws_access.h"
#include "handlers/cli/explain_command.h"
#include "handlers/cli/explain_job_command.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

struct ExplainArguments {
  ExplainInputs files;   // where no job is named
  ExplainJobInputs job;  // whose name is empty then
  AwsOptions aws;
};

// Everything after the command's name; the files are read. kInvalidInput for what is no use of it.
Result<ExplainArguments> read_explain(std::vector<char*> arguments, sys_seconds now,
                                      const Screen& screen);

}  // namespace trainwarden::cli
