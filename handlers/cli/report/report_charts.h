// The charts of a report: inline SVG whose shapes stretch with the page. The words are HTML beside
// them, so that they stay readable on a phone. Each chart has a title for screen readers, and a
// table says the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {

// The cost of each week's jobs as stacked columns; empty without a priced job.
std::string spans_chart(const rules::Totals& totals);
// The jobs as bars on one time scale, with their measured metrics beneath and a line where a rule
// would have acted.
std::string jobs_chart(const rules::Findings& findings, const std::vector<std::size_t>& jobs);
// A small bar that shows how the sum is split. A sum of `whole` fills the full width.
std::string split_bar(const rules::Sum& sum, double whole);
// The legend of the colours that occur in the split.
std::string legend(const rules::Split& split);

}  // namespace trainwarden::cli
