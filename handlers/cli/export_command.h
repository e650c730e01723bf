// `trainwarden export`: all that a policy can be decided on again, of the jobs that were created
// within a time, oldest first (export_lines.h). Only reads.
#pragma once

#include <functional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/console.h"
#include "handlers/cli/export_arguments.h"
#include "handlers/cli/export_file.h"
#include "handlers/cli/listed_prices.h"
#include "handlers/cli/text.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// What an export asks and tells besides AWS's own answers about jobs.
struct ExportMeans {
  std::function<Result<ListedPrices>()> prices;
  Console& console;
  bool shows_progress = false;  // stderr is a terminal
};

// By whole days: where a call fails for good or the person interrupts it, the output ends with the
// day before, and the error says how to go on. Nothing is printed to stdout: that is `file`.
Printed export_jobs(const ExportInputs& inputs, const rules::Policy& policy, ExportFile& file,
                    const actions::Apis& apis, const ExportMeans& means);

}  // namespace trainwarden::cli
