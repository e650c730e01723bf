// Reads the lines of an export back (export_lines.h says what they hold).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/cli/export/export_lines.h"
#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/job/prices.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// Parses a job's line. kInvalidInput if it is not one, saying what was expected.
Result<rules::KeptJob> read_job_line(std::string_view line);

// The prices in an export, and when the price list was asked for them. nullopt for other lines, and
// where the price list could not be asked.
struct KeptPrices {
  rules::Prices prices;
  std::optional<sys_seconds> asked = {};
};
std::optional<KeptPrices> read_prices_line(std::string_view line);

}  // namespace trainwarden::cli
