// `trainwarden backtest`: what a policy would have done to the jobs of an export, and whether it
// would have been right. Makes no calls.
#pragma once

#include "handlers/cli/backtest/backtest_arguments.h"
#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

// Status 1: the policy has a mistake, or more stops are wrong than --max-wrong allows, or more jobs
// would have been stopped than --max-stopped does. In the latter cases the findings are printed all
// the same.
Printed backtest(const BacktestInputs& inputs);

}  // namespace trainwarden::cli
