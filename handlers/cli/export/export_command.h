// `trainwarden export`: everything that a policy needs to be decided on again, for the jobs that
// were created within a time, oldest first (export_lines.h). It only reads from AWS.
#pragma once

#include <functional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/export/export_arguments.h"
#include "handlers/cli/export/export_file.h"
#include "handlers/cli/prices/listed_prices.h"
#include "handlers/cli/terminal/console.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// What an export uses besides AWS's answers about jobs: list prices, and a console for messages.
struct ExportMeans {
  std::function<Result<ListedPrices>()> prices;
  Console& console;
  bool shows_progress = false;  // stderr is a terminal
};

// Exports whole days. If a call fails for good or the user interrupts it, the output ends with the
// day before, and the error says how to go on. The result has no text for stdout: `file` gets all
// lines.
Printed export_jobs(const ExportInputs& inputs, const rules::Policy& policy, ExportFile& file,
                    const actions::Apis& apis, const ExportMeans& means);

}  // namespace trainwarden::cli
