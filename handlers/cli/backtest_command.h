// `trainwarden backtest`: what a policy would have done to the jobs of an export, and whether it
// would have been right. Asks nobody.
#pragma once

#include "handlers/cli/backtest_arguments.h"
#include "handlers/cli/text.h"

namespace trainwarden::cli {

// Status 1: the policy is wrong, or more stops are wrong than --max-wrong allows; what was found is
// printed all the same then.
Printed backtest(const BacktestInputs& inputs);

}  // namespace trainwarden::cli
