// `trainwarden explain JOB`: why a job was stopped or failed and how to go on, and what a policy
// says of it now, from what AWS tells. Only reads.
#pragma once

#include <optional>
#include <string>

#include "awsapi/dynamodb.h"
#include "handlers/actions/context/job.h"
#include "handlers/cli/text.h"

namespace trainwarden::cli {

struct ExplainJobInputs {
  std::string job;
  std::string policy = {};   // a text, or ssm:NAME; empty: none
  std::string event = {};    // a text; empty: what Describe tells
  std::string options = {};  // that the commands to go on with are given besides
  bool json = false;
  Screen screen = {};
};

// table: the functions' own, where the person has named it.
Printed explain_job(const ExplainJobInputs& inputs, const std::optional<aws::Table>& table,
                    const actions::Apis& apis);

}  // namespace trainwarden::cli
