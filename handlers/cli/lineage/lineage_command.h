// `trainwarden lineage`: prints a job's lineage (the job, its ancestors and their copies) as a
// tree, with states, paid hours and cost.
#pragma once

#include <span>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/access/aws_access.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/job/prices.h"

namespace trainwarden::cli {

struct LineageInputs {
  std::string job;          // any job of the lineage
  std::string policy = {};  // a file with the prices; empty: no cost
  AwsOptions aws = {};
};

// Parses everything after the command's name. kInvalidInput for arguments that the command does not
// take.
Result<LineageInputs> read_lineage(std::span<char* const> arguments);

// Finds copies by Search, which lags some seconds behind, and by the tags of the jobs. prices: from
// the inputs' policy; may be empty.
Printed lineage(const LineageInputs& inputs, const rules::Prices& prices,
                const actions::Apis& apis);

}  // namespace trainwarden::cli
