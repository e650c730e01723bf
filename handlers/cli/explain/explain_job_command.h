// `trainwarden explain JOB`: why a job was stopped or failed, how to go on, and what a policy
// decides about it now, from what AWS reports. It only reads.
#pragma once

#include <optional>
#include <string>

#include "awsapi/dynamodb.h"
#include "handlers/actions/context/job.h"
#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

struct ExplainJobInputs {
  std::string job;
  std::string policy = {};   // its text, or ssm:NAME; empty: none
  std::string event = {};    // its text; empty: derived from Describe
  std::string options = {};  // for the suggested commands
  bool json = false;
  Screen screen = {};
};

// table: the functions' state table, if the user has named it.
Printed explain_job(const ExplainJobInputs& inputs, const std::optional<aws::Table>& table,
                    const actions::Apis& apis);

}  // namespace trainwarden::cli
