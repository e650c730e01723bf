// Reads the lines of an export back (export_lines.h says what they hold).
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/cli/export_lines.h"
#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/job/prices.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// No job's line is longer, not even that of a thousand machines for a month, minute by minute.
inline constexpr std::size_t kLongestLine = std::size_t{256} << 20U;

// The next line, without its newline. nullopt: nothing is left. A line that is longer than `most`
// is skipped, and `line` is empty then.
struct LineRead {
  std::string line;
  bool too_long = false;
  bool whole = true;  // it ended with a newline
};
std::optional<LineRead> next_line(std::istream& from, std::size_t most = kLongestLine);

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
