#include "handlers/cli/backtest/findings_changes.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <tuple>

#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {
namespace {

using rules::StopVerdict;

constexpr std::size_t kChangesOfText = 25;

std::string_view rule_of(const rules::Findings& findings, std::size_t rule) {
  return rule < findings.rules.size() ? std::string_view(findings.rules[rule].name) : "?";
}

using Done = std::set<std::pair<std::string_view, rules::ActionKind>>;

Done done_by(const rules::Findings& findings, const rules::JobFinding& job) {
  Done out;
  for (const rules::ReplayedAction& action : job.actions)
    out.emplace(rule_of(findings, action.rule), action.action);
  return out;
}

auto stop_of(const rules::Findings& findings, const rules::JobFinding& job) {
  using Stop = std::tuple<std::string_view, sys_seconds, bool>;
  return job.stop ? Stop(rule_of(findings, job.stop->rule), job.stop->at, job.stop->restarts)
                  : Stop();
}

std::string stop_line(const rules::Findings& findings, const rules::JobFinding& job) {
  if (!job.stop) return "goes on";
  return fmt::format("{} by {}, {} ({})", job.stop->restarts ? "restarted" : "stopped",
                     rule_of(findings, job.stop->rule), minute_text(job.stop->at),
                     verdict_text(*job.stop));
}

struct Sums {
  std::size_t stopped;
  std::size_t stops;
  std::size_t wrong;
  double kept;
  double destroyed;
};

Sums sums_of(const rules::Totals& totals) {
  return {totals.stopped.jobs, totals.stops(), totals.of(StopVerdict::kWrong).stops,
          totals.kept_usd(), totals.destroyed_usd()};
}

void write_side(json::Sink& sink, std::string_view key, const rules::Findings& findings) {
  const Sums sums = sums_of(rules::totals_of(findings));
  sink.key(key)
      .begin_object()
      .member("policy", std::string_view(findings.policy))
      .member("hash", std::string_view(findings.policy_hash))
      .member("stopped_jobs", sums.stopped)
      .member("stops", sums.stops)
      .member("wrong_stops", sums.wrong)
      .member("kept_usd", sums.kept)
      .member("destroyed_usd", sums.destroyed)
      .end_object();
}

void write_changed_stop(json::Sink& sink, std::string_view key, const rules::Findings& findings,
                        const rules::JobFinding& job) {
  sink.key(key);
  if (!job.stop) {
    sink.null();
    return;
  }
  sink.begin_object()
      .member("rule", rule_of(findings, job.stop->rule))
      .member("at", std::string_view(rfc3339(job.stop->at)))
      .member("restart", job.stop->restarts)
      .member("verdict", rules::name(job.stop->verdict))
      .member("ground", rules::name(job.stop->ground))
      .end_object();
}

void write_changed_actions(json::Sink& sink, std::string_view key, const Done& done) {
  sink.key(key).begin_array();
  for (const auto& [rule, action] : done)
    sink.begin_object().member("rule", rule).member("action", rules::name(action)).end_object();
  sink.end_array();
}

}  // namespace

std::vector<std::size_t> changed_jobs(const rules::Findings& before, const rules::Findings& after) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < before.jobs.size() && i < after.jobs.size(); ++i)
    if (stop_of(before, before.jobs[i]) != stop_of(after, after.jobs[i]) ||
        done_by(before, before.jobs[i]) != done_by(after, after.jobs[i]))
      out.push_back(i);
  return out;
}

void print_changes(const rules::Findings& before, const rules::Findings& after, Page& page) {
  const Sums was = sums_of(rules::totals_of(before));
  const Sums is = sums_of(rules::totals_of(after));
  page.line(page.bold(fmt::format("{} against {}", after.policy, before.policy)) + ": " +
            scope_text(after));
  page.gap();
  page.line(fmt::format("jobs stopped or restarted {} of {} (was {})", number_text(is.stopped),
                        number_text(after.jobs.size()), number_text(was.stopped)),
            2);
  for (const rules::MissingKey& missing : after.missing_keys)
    page.line(page.alert("misspelt?") + " " + printable(missing_key_text(missing)), 2);
  page.line(
      fmt::format("kept by right stops       {} (was {})", dollars(is.kept), dollars(was.kept)), 2);
  page.line(fmt::format("destroyed by wrong stops  {} (was {})", dollars(is.destroyed),
                        dollars(was.destroyed)),
            2);
  page.line(fmt::format("stops                     {} (was {}), of which wrong {} (was {})",
                        is.stops, was.stops, is.wrong, was.wrong),
            2);
  const std::vector<std::size_t> changed = changed_jobs(before, after);
  page.gap();
  page.line(page.bold(fmt::format("jobs whose decision changes: {} of {}",
                                  number_text(changed.size()), number_text(after.jobs.size()))));
  for (std::size_t i = 0; i < changed.size() && i < kChangesOfText; ++i) {
    const rules::JobFinding& old = before.jobs[changed[i]];
    const rules::JobFinding& now = after.jobs[changed[i]];
    page.line(fmt::format("{} ({}, {}, {})", page.bold(printable(now.name)),
                          now.team.empty() ? "no team" : printable(now.team), printable(now.state),
                          dollars(now.usd, now.usd_is_bound)),
              2);
    page.line("  was: " + stop_line(before, old), 7);
    page.line("  now: " + stop_line(after, now), 7);
  }
  if (changed.size() > kChangesOfText)
    page.line(page.faint(fmt::format("and {} more: --json has all of them",
                                     number_text(changed.size() - kChangesOfText))));
}

void write_changes(json::Sink& sink, const rules::Findings& before, const rules::Findings& after) {
  write_side(sink, "before", before);
  write_side(sink, "after", after);
  sink.member("jobs", after.jobs.size());
  sink.key("changed").begin_array();
  for (const std::size_t i : changed_jobs(before, after)) {
    sink.begin_object().member("job", std::string_view(after.jobs[i].name));
    sink.member("created", std::string_view(rfc3339(after.jobs[i].created)));
    write_changed_stop(sink, "before", before, before.jobs[i]);
    write_changed_stop(sink, "after", after, after.jobs[i]);
    write_changed_actions(sink, "actions_before", done_by(before, before.jobs[i]));
    write_changed_actions(sink, "actions_after", done_by(after, after.jobs[i]));
    sink.end_object();
  }
  sink.end_array();
}

}  // namespace trainwarden::cli
