// The page of a report: one file that loads nothing, runs nothing and sends nothing.
#include <fmt/format.h>

#include "handlers/cli/backtest/findings_output.h"
#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/report/report_sections.h"
#include "handlers/cli/report/report_style.h"
#include "handlers/cli/terminal/html.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {

std::string html_of(const rules::Findings& findings) {
  const rules::Totals totals = rules::totals_of(findings);
  const bool judged = !findings.policy.empty();
  const std::string_view title =
      judged ? "What this policy would have done" : "What training jobs have cost";
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n";
  out += fmt::format("<title>Trainwarden: {}</title>\n<style>{}</style></head>\n<body><main>\n",
                     title, kReportStyle);
  out += fmt::format(
      R"(<header><h1>{}</h1><p class="mute">{}{}; created {}{}</p></header>)", title,
      judged ? fmt::format("{} ({}) on ", escaped(findings.policy), escaped(findings.policy_hash))
             : "",
      escaped(scope_text(findings)), days_text(findings),
      judged ? ". Only read: nothing was stopped." : ".");
  if (findings.jobs.empty())
    out += "<p>No training job was created in that time.</p>";
  else
    out += figures_section(findings, totals);
  out += "\n" + weeks_section(findings, totals) + "\n" + costliest_section(findings, totals) + "\n";
  if (judged)
    out += look_at_section(findings, totals) + "\n" + rules_section(findings, totals) + "\n";
  out += groups_section(findings, totals) + "\n" + failures_section(totals) + "\n";
  if (judged) out += held_back_section(findings) + "\n";
  out += unknown_section(findings, totals) + "\n" + jobs_section(findings, totals) + "\n";
  return out +
         "<footer class=\"mute\">Made by trainwarden. The page loads nothing and runs no "
         "script.</footer>\n</main></body></html>\n";
}

}  // namespace trainwarden::cli
