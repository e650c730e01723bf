// The pictures of a report: inline SVG whose shapes stretch with the page and whose words are HTML
// beside them, so that they stay readable on a phone. Each has a title for those who do not see it,
// and a table says the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {

// What each week's jobs have cost, split, as columns; empty without a priced job.
std::string weeks_chart(const rules::Totals& totals);
// These jobs as bars on one scale of time, with what was measured of them beneath and a line where
// a rule would have acted.
std::string jobs_chart(const rules::Findings& findings, const std::vector<std::size_t>& jobs);
// A small bar of how the sum is split, `whole` as wide as it can be.
std::string split_bar(const rules::Sum& sum, double whole);
// Which colour is which, of those that the split has.
std::string legend(const rules::Split& split);

}  // namespace trainwarden::cli
