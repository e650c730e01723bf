// States in full what findings cannot know: without it, the figures would claim more than is known.
#include <fmt/format.h>

#include <algorithm>

#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/terminal/amounts.h"

namespace trainwarden::cli {
namespace {

void about_the_export(const rules::Findings& findings, const rules::Totals& totals,
                      std::vector<std::string>& out) {
  if (!findings.complete)
    out.emplace_back(
        "The export was cut: later jobs are missing. `trainwarden export --resume` goes on with "
        "it.");
  if (findings.bad_lines > 0)
    out.push_back(
        fmt::format("{} could not be read, and the jobs in them are missing.",
                    counted(findings.bad_lines, "line of the export", "lines of the export")));
  if (totals.all.without_price > 0)
    out.push_back(
        fmt::format("{} ran on machines without a price: they count as jobs, and in no amount.",
                    counted(totals.all.without_price, "job", "jobs")));
  if (totals.all.bounds > 0)
    out.push_back(
        fmt::format("Of {} the cost is an upper bound: what Spot machines cost then is not kept.",
                    counted(totals.all.bounds, "job", "jobs")));
  if (findings.prices_asked)
    out.push_back(fmt::format(
        "Prices are those of AWS's list on {}, without discounts, and without storage and "
        "transfer.",
        long_day(*findings.prices_asked)));
}

// For how many jobs a watch has no data, and why.
std::string without_data(const rules::WatchCoverage& watch) {
  if (watch.not_kept + watch.missing == 0) return "";
  std::string out;
  if (watch.not_kept > 0)
    out = fmt::format(" Of {} its data are too old", counted(watch.not_kept, "job", "jobs"));
  if (watch.missing > 0)
    out += fmt::format("{} {} its data are missing", out.empty() ? " Of" : ", of",
                       counted(watch.missing, "job", "jobs"));
  return out + "; whether it had called there is unknown.";
}

void about_watches(const rules::Findings& findings, std::vector<std::string>& out) {
  for (const rules::WatchCoverage& watch : findings.watches)
    if (watch.judged + watch.not_kept + watch.missing > 0)
      out.push_back(fmt::format(
          "The watch {} ({}, {} s) was judged for {}, within the {} for which CloudWatch keeps "
          "such periods.{}",
          watch.watch, watch.metric, watch.period_seconds, counted(watch.judged, "job", "jobs"),
          counted(static_cast<std::size_t>(std::max(0, watch.days)), "day", "days"),
          without_data(watch)));
}

void about_the_policy(const rules::Findings& findings, const rules::Totals& totals,
                      std::vector<std::string>& out) {
  for (const Counted& one : undecidable(findings))
    out.push_back(fmt::format("The rule {} could not be decided on for {}: {}.", one.rule,
                              counted(one.jobs, "job", "jobs"), one.what));
  std::string on_tags;
  for (const rules::RuleOfPolicy& rule : findings.rules)
    if (rule.rests_on_tags) on_tags += (on_tags.empty() ? "" : ", ") + rule.name;
  if (!on_tags.empty())
    out.push_back(fmt::format(
        "Tags are today's: what a job's tags were at the moment of a decision is not kept. It "
        "concerns {}.",
        on_tags));
  if (totals.restarts.stops > 0)
    out.push_back(fmt::format(
        "{} would have been stopped to run again: what the copies had cost and brought is not "
        "known, so that this money ({}) is called neither kept nor destroyed.",
        counted(totals.restarts.stops, "job", "jobs"), dollars(totals.restarts.after_usd)));
  if (const rules::StopSum& at_creation = totals.of(rules::StopVerdict::kRule);
      at_creation.stops > 0)
    out.push_back(fmt::format(
        "{} would have come when the job was created, by what it is (its tags, its machines). "
        "People would have started {} again, as the rule wants {}: that money ({}) is never called "
        "kept.",
        counted(at_creation.stops, "stop", "stops"), at_creation.stops == 1 ? "it" : "these jobs",
        at_creation.stops == 1 ? "it" : "them", dollars(at_creation.after_usd)));
  if (any_behind(totals))
    out.emplace_back(
        "What stands under `behind` would have come later than a stop at creation: those rules are "
        "judged as if that one had not come, and nothing of it is in the sums.");
  out.emplace_back("People behave otherwise under a policy: who is stopped changes the next job.");
}

}  // namespace

std::vector<std::string> unknowns(const rules::Findings& findings, const rules::Totals& totals) {
  std::vector<std::string> out;
  out.push_back(fmt::format("These are the jobs that were created from {}.", days_text(findings)));
  about_the_export(findings, totals, out);
  about_watches(findings, out);
  if (!findings.policy.empty()) about_the_policy(findings, totals, out);
  return out;
}

}  // namespace trainwarden::cli
