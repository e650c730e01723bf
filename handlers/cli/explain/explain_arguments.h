// The arguments of `trainwarden explain`: either files, or a job to ask AWS about.
#pragma once

#include <span>
#include <string>

#include "handlers/cli/access/aws_access.h"
#include "handlers/cli/explain/explain_command.h"
#include "handlers/cli/explain/explain_job_command.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

struct ExplainArguments {
  ExplainInputs files;   // used if no job is named
  ExplainJobInputs job;  // its name is empty if none is named
  AwsOptions aws;
};

// Parses everything after the command's name and reads the files. kInvalidInput for arguments that
// the command does not take.
Result<ExplainArguments> read_explain(std::span<char* const> arguments, sys_seconds now,
                                      const Screen& screen);

}  // namespace trainwarden::cli
