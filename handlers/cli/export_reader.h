// The lines of an export, read back (export_lines.h has what they hold).
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

// No line of a job is longer: a thousand machines for a month, minute by minute, are.
inline constexpr std::size_t kLongestLine = std::size_t{256} << 20U;

// The next line, without its end. nullopt: nothing is left. A line that is longer than most is
// passed over, and `line` is empty then.
struct LineRead {
  std::string line;
  bool too_long = false;
  bool whole = true;  // it ended with a line's end
};
std::optional<LineRead> next_line(std::istream& from, std::size_t most = kLongestLine);

// Of a job's line. kInvalidInput: it is none, and what was expected.
Result<rules::KeptJob> read_job_line(std::string_view line);

// The prices that an export has, and when the list was asked for them; nullopt for other lines, and
// where the list could not be asked.
struct KeptPrices {
  rules::Prices prices;
  std::optional<sys_seconds> asked = {};
};
std::optional<KeptPrices> read_prices_line(std::string_view line);

}  // namespace trainwarden::cli
