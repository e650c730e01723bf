// `trainwarden lineage`: the line of a job and its copies as a tree, with states, paid hours and
// cost.
#pragma once

#include <span>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/text.h"
#include "handlers/rules/job/prices.h"

namespace trainwarden::cli {

struct LineageInputs {
  std::string job;          // any of the line
  std::string policy = {};  // a file with the prices; empty: no cost
};

// Everything after the command's name; kInvalidInput for what is no use of it.
Result<LineageInputs> read_lineage(std::span<char* const> arguments);

// Copies are found by Search, which lags some seconds behind, and by the tags of jobs. prices: of
// the inputs' policy; may be empty.
Printed lineage(const LineageInputs& inputs, const rules::Prices& prices,
                const actions::Apis& apis);

}  // namespace trainwarden::cli
