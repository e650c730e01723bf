#include "handlers/cli/backtest/findings_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::cli {
namespace {

using rules::Spending;
using rules::StopVerdict;

// "2 of them have no price" and the like; empty if all have one.
std::string priceless(std::size_t stops) {
  if (stops == 0) return {};
  return fmt::format(" {} of them {} no price and not in this sum.", number_text(stops),
                     stops == 1 ? "has" : "have");
}

std::vector<Counted> in_order(
    const std::map<std::pair<std::string, std::string>, std::size_t>& found) {
  std::vector<Counted> out;
  out.reserve(found.size());
  for (const auto& [what, jobs] : found) out.push_back({what.first, what.second, jobs});
  std::ranges::stable_sort(out, std::greater{}, &Counted::jobs);
  return out;
}

}  // namespace

std::string_view label(Spending spending) {
  static constexpr std::array<std::string_view, rules::kSpendings> kLabels = {
      "completed",
      "failed",
      "stopped",
      "not over yet",
      "kept by right stops",
      "destroyed by wrong stops",
      "after other stops"};
  return kLabels[static_cast<std::size_t>(spending)];
}

std::string verdict_text(const rules::ReplayedStop& stop) {
  return fmt::format("{}{}", stop.restarts ? "restart, " : "", rules::name(stop.verdict));
}

std::string_view ground_text(rules::StopGround ground) {
  static constexpr std::array<std::string_view, 10> kTexts = {
      "it rests on what was fixed when the job was created",
      "the job completed",
      "the metric came back before the job ended",
      "the metric stayed so until the job ended",
      "the job ran into its own limit",
      "it failed for a reason that running it again does not mend",
      "it failed for another reason",
      "somebody stopped it",
      "it ran when the export was made",
      "what would tell is missing"};
  return kTexts[static_cast<std::size_t>(ground)];
}

std::string label_text(const std::optional<rules::Verdict>& failure) {
  return std::string(failure ? rules::name(failure->label) : "not told");
}

std::string resume_text(const std::optional<rules::Verdict>& failure) {
  return std::string(failure ? rules::name(failure->resume) : "not told");
}

std::string rule_name(const rules::Findings& findings, std::size_t rule) {
  return rule < findings.rules.size() ? findings.rules[rule].name : fmt::format("rule {}", rule);
}

std::string stop_text(const rules::JobFinding& job, const rules::ReplayedStop& stop,
                      sys_seconds until) {
  const auto from = job.trained_from.value_or(job.created);
  const auto end = job.ended.value_or(until);
  const auto begun = std::max(std::chrono::seconds(0), stop.at - from);
  return fmt::format("{} after {}{} {}", stop.restarts ? "restarted" : "stopped", span_text(begun),
                     job.ended ? " of" : "; it has run",
                     span_text(std::max(std::chrono::seconds(0), end - from)));
}

std::string because_text(const rules::ReplayedStop& stop) {
  std::vector<std::string> out;
  out.reserve(stop.because.size());
  for (const rules::Because& one : stop.because) {
    const std::string value = rules::value_text(one);
    out.push_back(value.empty() ? one.path() : fmt::format("{} = {}", one.path(), value));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string held_back_text(const rules::HeldBack& held) { return rules::text(held.reason); }

std::string explain_command(const rules::Findings& findings, const rules::JobFinding& job) {
  std::string out = "trainwarden explain " + shell_word(job.name);
  if (!findings.policy.empty() && findings.policy != "-")
    out += " --policy " + shell_word(findings.policy);
  if (!findings.region.empty()) out += " --region " + shell_word(findings.region);
  return out;
}

std::string scope_text(const rules::Findings& findings) {
  std::string out = counted(findings.jobs.size(), "training job", "training jobs");
  if (!findings.account.empty()) out += " of account " + findings.account;
  if (!findings.region.empty()) out += (findings.account.empty() ? " of " : ", ") + findings.region;
  return out;
}

std::string days_text(const rules::Findings& findings) {
  return fmt::format("{} to {}", long_day(findings.since), long_day(findings.until));
}

Figure stopped_figure(const rules::Totals& totals) {
  const rules::StoppedJobs& stopped = totals.stopped;
  Figure out{
      fmt::format("{} of {}", number_text(stopped.jobs), counted(totals.all.jobs, "job", "jobs")),
      "would have been stopped."};
  if (stopped.jobs == 0) return out;
  out.means = fmt::format(
      "would have been stopped: {} by what {} (tags, machines, settings), {} by what {} did. {} "
      "had cost {}.{}",
      number_text(stopped.by_what_they_are), stopped.jobs == 1 ? "it is" : "they are",
      number_text(stopped.jobs - stopped.by_what_they_are), stopped.jobs == 1 ? "it" : "they",
      stopped.jobs == 1 ? "It" : "They", dollars(stopped.usd), priceless(stopped.without_price));
  if (stopped.restarts > 0)
    out.means += fmt::format(" {} of the stops {} to run the job again.",
                             number_text(stopped.restarts), stopped.restarts == 1 ? "is" : "are");
  if (stopped.held_back > 0)
    out.means += fmt::format(" Limits would have kept {} of them from being stopped.",
                             number_text(stopped.held_back));
  return out;
}

bool stops_many(const rules::Totals& totals) {
  constexpr std::size_t kTenth = 10;
  return totals.stopped.by_what_they_are * kTenth > totals.all.jobs;
}

Figure kept_figure(const rules::Totals& totals) {
  const rules::StopSum& right = totals.of(StopVerdict::kRight);
  if (right.stops == 0) return {dollars(0), "kept: no stop would have been right."};
  const std::string share = share_text(totals.kept_usd(), totals.all.usd());
  return {dollars(totals.kept_usd()),
          fmt::format(
              "kept by {}.{}{}",
              right.stops == 1 ? "1 right stop: spent after it, to the job's real end"
                               : number_text(right.stops) +
                                     " right stops: spent after them, to each job's real end",
              share.empty()
                  ? ""
                  : fmt::format(" {} of the {} that were paid.", share, dollars(totals.all.usd())),
              priceless(right.without_price))};
}

Figure destroyed_figure(const rules::Totals& totals) {
  const rules::StopSum& wrong = totals.of(StopVerdict::kWrong);
  if (wrong.stops == 0) return {dollars(0), "destroyed: no stop would have been wrong."};
  return {dollars(totals.destroyed_usd()),
          fmt::format("destroyed by {}: spent before {} on work that went on well.{}",
                      counted(wrong.stops, "wrong stop", "wrong stops"),
                      wrong.stops == 1 ? "it" : "them", priceless(wrong.without_price))};
}

Figure look_at_figure(const rules::Totals& totals) {
  const std::size_t wrong = totals.of(StopVerdict::kWrong).stops + totals.wrong_restarts;
  const std::size_t all = totals.look_at.size();
  if (totals.stops() + totals.restarts.stops == 0)
    return {"0 to look at", "No job would have been stopped."};
  if (all == 0)
    return {"0 to look at", "No stop was wrong, and of each one it is known what came after it."};
  std::string means;
  if (wrong > 0)
    means = fmt::format("{} wrong: the policy may be wrong there.", number_text(wrong));
  if (all > wrong)
    means += fmt::format("{}Of {} what came after does not tell.", means.empty() ? "" : " ",
                         number_text(all - wrong));
  return {fmt::format("{} to look at first", number_text(all)), means};
}

Figure paid_figure(const rules::Totals& totals) {
  std::string means =
      fmt::format("paid for {}.", counted(totals.all.jobs, "training job", "training jobs"));
  if (totals.all.without_price > 0)
    means += fmt::format(" {} without a price {} not in it.",
                         counted(totals.all.without_price, "job", "jobs"),
                         totals.all.without_price == 1 ? "is" : "are");
  return {dollars(totals.all.usd()), means};
}

Figure lost_figure(const rules::Totals& totals) {
  const double failed = totals.all.of(Spending::kFailed);
  const double stopped = totals.all.of(Spending::kStopped);
  const std::string share = share_text(failed + stopped, totals.all.usd());
  return {dollars(failed + stopped),
          fmt::format(
              "paid for jobs that did not complete{}: {} for failed ones, {} for stopped ones.",
              share.empty() ? "" : fmt::format(" ({})", share), dollars(failed), dollars(stopped))};
}

Figure jobs_figure(const rules::Findings& findings, const rules::Totals& totals) {
  const auto count = [&](rules::JobStatus status) {
    return static_cast<std::size_t>(
        std::ranges::count(findings.jobs, status, &rules::JobFinding::status));
  };
  return {counted(totals.all.jobs, "job", "jobs"),
          fmt::format("{} completed, {} failed, {} {} stopped; {} hours paid.",
                      number_text(count(rules::JobStatus::kCompleted)),
                      number_text(count(rules::JobStatus::kFailed)),
                      number_text(count(rules::JobStatus::kStopped)),
                      count(rules::JobStatus::kStopped) == 1 ? "was" : "were",
                      number_text(static_cast<std::size_t>(std::llround(totals.all.hours))))};
}

std::string missing_key_text(const rules::MissingKey& missing) {
  std::vector<std::string> who;
  who.reserve(missing.rules.size());
  for (const std::string& rule : missing.rules)
    who.push_back(rule.empty() ? "the policy's `unless`" : "the rule " + rule);
  return fmt::format("No job has the tag `{}`, which {} {}; {} `{}`.", missing.key,
                     fmt::join(who, ", "), who.size() == 1 ? "names" : "name",
                     counted(missing.jobs, "job has", "jobs have"), missing.near);
}

std::string behind_text(const rules::RuleTotal& total) {
  const rules::StopSums& sums = total.behind;
  std::vector<std::string> out;
  const auto add = [&out](std::size_t stops, std::string_view what, const std::string& money = {}) {
    if (stops > 0)
      out.push_back(fmt::format("{} {}{}", number_text(stops), what,
                                money.empty() ? "" : fmt::format(" ({})", money)));
  };
  add(sums.of(StopVerdict::kRight).stops, "right", dollars(sums.of(StopVerdict::kRight).after_usd));
  add(sums.of(StopVerdict::kWrong).stops, "wrong",
      dollars(sums.of(StopVerdict::kWrong).before_usd));
  add(sums.of(StopVerdict::kUnknown).stops, "unknown");
  add(sums.of(StopVerdict::kRule).stops, "at creation");
  add(sums.restarts.stops, sums.restarts.stops == 1 ? "restart" : "restarts",
      sums.wrong_restarts == 0 ? "" : fmt::format("{} wrong", sums.wrong_restarts));
  add(total.notified_behind, "told");
  return fmt::format("{}", fmt::join(out, ", "));
}

bool any_behind(const rules::Totals& totals) {
  return std::ranges::any_of(
      totals.rules, [](const rules::RuleTotal& total) { return !behind_text(total).empty(); });
}

std::vector<Counted> held_back(const rules::Findings& findings) {
  std::map<std::pair<std::string, std::string>, std::size_t> found;
  for (const rules::JobFinding& job : findings.jobs)
    for (const rules::HeldBack& held : job.held_back)
      ++found[{rule_name(findings, held.rule), held_back_text(held)}];
  return in_order(found);
}

std::string undecidable_text(const rules::Undecidable& one) {
  using Cause = rules::Undecidable::Cause;
  switch (one.cause) {
    case Cause::kSkipped:
      return rules::text(one.errors);
    case Cause::kOtherPolicy:
      return "the export was made for another policy, and left out what it names";
    case Cause::kNotExported:
      return "the export does not have it: " + one.sources.names();
    case Cause::kMetricTooOld:
      return fmt::format("CloudWatch does not keep the metric of {} for so long", one.watch);
    case Cause::kMetricMissing:
      return "the export does not have the metric of " + one.watch;
  }
  return {};
}

std::vector<Counted> undecidable(const rules::Findings& findings) {
  std::map<std::pair<std::string, std::string>, std::size_t> found;
  for (const rules::JobFinding& job : findings.jobs)
    for (const rules::Undecidable& one : job.undecidable)
      ++found[{rule_name(findings, one.rule), undecidable_text(one)}];
  return in_order(found);
}

}  // namespace trainwarden::cli
