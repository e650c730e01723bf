// The sections of a report's page, each as HTML; empty where there is nothing to show.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {

std::string figures_section(const rules::Findings& findings, const rules::Totals& totals);
std::string weeks_section(const rules::Findings& findings, const rules::Totals& totals);
std::string costliest_section(const rules::Findings& findings, const rules::Totals& totals);
std::string look_at_section(const rules::Findings& findings, const rules::Totals& totals);
std::string rules_section(const rules::Findings& findings, const rules::Totals& totals);
std::string groups_section(const rules::Findings& findings, const rules::Totals& totals);
std::string failures_section(const rules::Totals& totals);
std::string held_back_section(const rules::Findings& findings);
std::string unknown_section(const rules::Findings& findings, const rules::Totals& totals);
std::string jobs_section(const rules::Findings& findings, const rules::Totals& totals);

}  // namespace trainwarden::cli
