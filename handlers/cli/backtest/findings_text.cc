// Findings for a terminal: the figures first, then the details behind them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "handlers/cli/backtest/findings_output.h"
#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/cli/terminal/text_table.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {
namespace {

using rules::Spending;
using rules::StopVerdict;

constexpr std::size_t kRowsOfText = 12;
constexpr std::size_t kCommandsOfText = 6;

void heading(std::string_view text, Page& page) {
  page.gap();
  page.line(page.bold(text));
}

void more(std::size_t all, std::string_view what, Page& page) {
  if (all > kRowsOfText)
    page.line(page.faint(fmt::format("  and {} more {}: --html FILE or --json shows all",
                                     all - kRowsOfText, what)),
              2);
}

void print_figures(const rules::Findings& findings, const rules::Totals& totals, Page& page) {
  const auto figure = [&page](const Figure& one, bool is_alarming) {
    page.line(fmt::format("{}  {}", is_alarming ? page.alert(one.number) : page.bold(one.number),
                          one.means),
              2);
  };
  page.gap();
  if (findings.policy.empty()) {
    figure(paid_figure(totals), false);
    figure(lost_figure(totals), false);
    figure(jobs_figure(findings, totals), false);
    return;
  }
  figure(stopped_figure(totals), stops_many(totals));
  figure(kept_figure(totals), false);
  figure(destroyed_figure(totals), totals.of(StopVerdict::kWrong).stops > 0);
  figure(look_at_figure(totals), !totals.look_at.empty());
}

void print_rules(const rules::Findings& findings, const rules::Totals& totals, Page& page) {
  if (totals.rules.empty()) return;
  const bool behind = any_behind(totals);
  heading(behind ? "rules (stops; behind: as if no stop at creation had come before)"
                 : "rules (stops; at creation: by what the job is)",
          page);
  std::vector<TextTable::Column> columns = {
      {"rule", false, 24}, {"right", true},   {"kept", true},        {"wrong", true},
      {"destroyed", true}, {"unknown", true}, {"at creation", true}, {"restarts", true}};
  if (behind) columns.push_back({"behind"});
  TextTable table(std::move(columns));
  for (const rules::RuleTotal& rule : totals.rules) {
    std::vector<std::string> cells = {findings.rules[rule.rule].name,
                                      std::to_string(rule.of(StopVerdict::kRight).stops),
                                      dollars(rule.of(StopVerdict::kRight).after_usd),
                                      std::to_string(rule.of(StopVerdict::kWrong).stops),
                                      dollars(rule.of(StopVerdict::kWrong).before_usd),
                                      std::to_string(rule.of(StopVerdict::kUnknown).stops),
                                      std::to_string(rule.of(StopVerdict::kRule).stops),
                                      std::to_string(rule.restarts.stops)};
    if (behind) cells.push_back(behind_text(rule));
    table.add(std::move(cells));
  }
  table.print(page);
}

void print_missing_keys(const rules::Findings& findings, Page& page) {
  if (!findings.missing_keys.empty()) page.gap();
  for (const rules::MissingKey& missing : findings.missing_keys)
    page.line(page.alert("misspelt?") + " " + printable(missing_key_text(missing)), 2);
}

void print_groups(std::string_view title, std::span<const rules::GroupTotal> groups,
                  const rules::Findings& findings, Page& page) {
  if (groups.empty() || (groups.size() == 1 && groups.front().name.empty())) return;
  heading(printable(title), page);
  const bool judged = !findings.policy.empty();
  std::vector<TextTable::Column> columns = {{"", false, 28}, {"jobs", true}, {"paid", true}};
  if (judged)
    columns.insert(columns.end(), {{"stops", true}, {"kept", true}, {"destroyed", true}});
  else
    columns.insert(columns.end(), {{"completed", true}, {"failed", true}, {"stopped", true}});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < std::min(groups.size(), kRowsOfText); ++i) {
    const rules::GroupTotal& group = groups[i];
    std::vector<std::string> cells = {group.name.empty() ? "(none)" : group.name,
                                      std::to_string(group.sum.jobs), dollars(group.sum.usd())};
    if (judged)
      cells.insert(cells.end(),
                   {std::to_string(group.stops), dollars(group.sum.of(Spending::kKept)),
                    dollars(group.sum.of(Spending::kDestroyed))});
    else
      cells.insert(cells.end(), {dollars(group.sum.of(Spending::kCompleted)),
                                 dollars(group.sum.of(Spending::kFailed)),
                                 dollars(group.sum.of(Spending::kStopped))});
    table.add(std::move(cells));
  }
  table.print(page);
  more(groups.size(), "", page);
}

void print_failures(const rules::Totals& totals, Page& page) {
  if (totals.failures.empty()) return;
  heading("why jobs failed", page);
  TextTable table({{"failure"}, {"jobs", true}, {"paid", true}, {"run again"}});
  for (std::size_t i = 0; i < std::min(totals.failures.size(), kRowsOfText); ++i) {
    const rules::FailureTotal& failure = totals.failures[i];
    table.add({label_text(failure.verdict), std::to_string(failure.sum.jobs),
               dollars(failure.sum.usd()), resume_text(failure.verdict)});
  }
  table.print(page);
  more(totals.failures.size(), "reasons", page);
}

void print_look_at(const rules::Findings& findings, const rules::Totals& totals, Page& page) {
  if (totals.look_at.empty()) return;
  heading("look at these first", page);
  TextTable table(
      {{"job", false, 26}, {"rule", false, 16}, {"verdict"}, {"at stake", true}, {"because"}});
  for (std::size_t i = 0; i < std::min(totals.look_at.size(), kRowsOfText); ++i) {
    const rules::JobFinding& job = findings.jobs[totals.look_at[i]];
    const rules::ReplayedStop& stop = *job.stop;
    table.add({job.name, rule_name(findings, stop.rule), verdict_text(stop),
               dollars(stop.verdict == StopVerdict::kWrong ? stop.before_usd : stop.after_usd,
                       job.usd_is_bound),
               std::string(ground_text(stop.ground))});
  }
  table.print(page);
  more(totals.look_at.size(), "stops", page);
  for (std::size_t i = 0; i < std::min(totals.look_at.size(), kCommandsOfText); ++i)
    page.whole("  " + explain_command(findings, findings.jobs[totals.look_at[i]]));
}

void print_held_back(const rules::Findings& findings, Page& page) {
  const std::vector<Counted> held = held_back(findings);
  if (held.empty()) return;
  heading("held back by limits and guards", page);
  for (std::size_t i = 0; i < std::min(held.size(), kRowsOfText); ++i)
    page.line(fmt::format("  {}: {} x {}", held[i].rule, held[i].jobs, held[i].what), 4);
  more(held.size(), "reasons", page);
}

void print_jobs(const rules::Findings& findings, const rules::Totals& totals, Page& page) {
  if (totals.costliest.empty()) return;
  heading("the costliest jobs", page);
  TextTable table({{"job", false, 28},
                   {"team", false, 12},
                   {"machines", false, 22},
                   {"state", false, 22},
                   {"hours", true},
                   {"cost", true}});
  for (std::size_t i = 0; i < std::min(totals.costliest.size(), kRowsOfText); ++i) {
    const rules::JobFinding& job = findings.jobs[totals.costliest[i]];
    table.add({job.name, job.team.empty() ? job.owner : job.team, job.machines, job.state,
               hours_text(job.paid_hours), dollars(job.usd, job.usd_is_bound)});
  }
  table.print(page);
  more(findings.jobs.size(), "jobs", page);
}

}  // namespace

void print_findings(const rules::Findings& findings, Page& page) {
  const rules::Totals totals = rules::totals_of(findings);
  const bool judged = !findings.policy.empty();
  page.line(
      page.bold(judged ? "what this policy would have done" : "what training jobs have cost"));
  page.line(fmt::format("{}{}; created {}{}",
                        judged ? fmt::format("{} ({}) on ", printable(findings.policy),
                                             printable(findings.policy_hash))
                               : "",
                        printable(scope_text(findings)), days_text(findings),
                        judged ? "; only read: nothing was stopped" : ""));
  print_figures(findings, totals, page);
  if (judged) {
    print_missing_keys(findings, page);
    print_look_at(findings, totals, page);
    print_rules(findings, totals, page);
  }
  print_groups("teams", totals.teams, findings, page);
  for (const rules::TagTotal& tag : totals.tags)
    if (tag.key != "team") print_groups("tag " + tag.key, tag.values, findings, page);
  print_failures(totals, page);
  if (judged)
    print_held_back(findings, page);
  else
    print_jobs(findings, totals, page);
  heading("what this cannot know", page);
  for (const std::string& one : unknowns(findings, totals)) page.line("  " + printable(one), 2);
}

}  // namespace trainwarden::cli
