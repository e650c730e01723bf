#include "handlers/cli/report/report_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/report/report_charts.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/html.h"
#include "handlers/cli/terminal/html_table.h"

namespace trainwarden::cli {
namespace {

using rules::Spending;
using rules::StopVerdict;

constexpr std::size_t kShownJobs = 12;     // costliest jobs shown as bars
constexpr std::size_t kShownStops = 8;     // stops to look at, the rest is folded
constexpr std::size_t kListedJobs = 1000;  // in the table of all jobs
constexpr std::size_t kShownReasons = 20;

bool is_judged(const rules::Findings& findings) { return !findings.policy.empty(); }

std::string section(std::string_view id, std::string_view title, std::string_view about,
                    std::string_view html) {
  if (html.empty()) return {};
  return fmt::format(R"(<section aria-labelledby="{0}"><h2 id="{0}">{1}</h2>{2}{3}</section>)", id,
                     title, about.empty() ? "" : fmt::format(R"(<p class="mute">{}</p>)", about),
                     html);
}

std::string figure(std::string_view kind, const Figure& one, double value,
                   bool is_alarming = false) {
  return fmt::format(
      R"(<div class="figure {0}{4}"><data class="number" id="figure-{0}" value="{1:.2f}">{2}</data><p>{3}</p></div>)",
      kind, value, escaped(one.number), escaped(one.means), is_alarming ? " alarming" : "");
}

std::string missing_keys_text(const rules::Findings& findings) {
  std::string out;
  for (const rules::MissingKey& missing : findings.missing_keys)
    out += fmt::format(R"(<p class="warning"><b>Misspelt?</b> {}</p>)",
                       escaped(missing_key_text(missing)));
  return out;
}

double counted_value(std::size_t count) { return static_cast<double>(count); }

// The kinds of spending that are more than zero anywhere.
std::vector<Spending> spendings_in(const rules::Sum& all) {
  std::vector<Spending> out;
  for (std::size_t i = 0; i < rules::kSpendings; ++i)
    if (all.split[i] > 0) out.push_back(static_cast<Spending>(i));
  return out;
}

std::string group_table(std::string_view key, const std::vector<rules::GroupTotal>& groups,
                        const rules::Findings& findings) {
  const bool judged = is_judged(findings);
  std::vector<HtmlTable::Column> columns = {{key}, {"jobs", true}, {"paid", true}};
  if (judged)
    columns.insert(columns.end(), {{"stops", true}, {"kept", true}, {"destroyed", true}});
  else
    columns.insert(columns.end(), {{"failed", true}, {"stopped", true}});
  columns.push_back({"share"});
  HtmlTable table(fmt::format("What was paid, by {}", key), std::move(columns));
  double whole = 0;
  for (const rules::GroupTotal& group : groups) whole = std::max(whole, group.sum.usd());
  for (const rules::GroupTotal& group : groups) {
    std::vector<std::string> cells = {group.name.empty() ? "(none)" : escaped(group.name),
                                      number_text(group.sum.jobs), dollars(group.sum.usd())};
    if (judged) cells.push_back(number_text(group.stops));
    for (const Spending one : judged ? std::vector{Spending::kKept, Spending::kDestroyed}
                                     : std::vector{Spending::kFailed, Spending::kStopped})
      cells.push_back(dollars(group.sum.of(one)));
    cells.push_back(fmt::format(R"(<div class="share">{}</div>)", split_bar(group.sum, whole)));
    table.add(cells);
  }
  return table.take();
}

std::string stop_item(const rules::Findings& findings, const rules::JobFinding& job) {
  const rules::ReplayedStop& stop = *job.stop;
  const bool wrong = stop.verdict == StopVerdict::kWrong;
  const std::string because = because_text(stop);
  return fmt::format(
      R"(<li><b>{}</b> <span class="mute">{}</span><br><span class="{}">{}</span>: {} by {} on {}; {}. {} {}.{}<code>{}</code></li>)",
      escaped(job.name), escaped(job.team.empty() ? job.owner : job.team),
      rules::name(stop.verdict), escaped(verdict_text(stop)),
      escaped(stop_text(job, stop, findings.until)), escaped(rule_name(findings, stop.rule)),
      minute_text(stop.at), escaped(ground_text(stop.ground)),
      dollars(wrong ? stop.before_usd : stop.after_usd, job.usd_is_bound),
      wrong ? "was spent before it" : "was spent after it",
      because.empty()
          ? ""
          : fmt::format(R"(<br><span class="mute">because {}</span>)", escaped(because)),
      escaped(explain_command(findings, job)));
}

std::string saving_text(const rules::JobFinding& job) {
  if (!job.spot) return "on demand";
  return job.spot_saving ? fmt::format("{:.0f}%", *job.spot_saving * 100) : "?";
}

std::vector<std::string> job_cells(const rules::JobFinding& job) {
  const std::string link = log_link(job.arn, job.name);
  std::string generation = !job.generation        ? "?"
                           : *job.generation == 0 ? ""
                                                  : fmt::format("{}", *job.generation);
  if (!job.parent.empty()) generation += " of " + escaped(job.parent);
  return {escaped(job.name),
          escaped(job.owner),
          escaped(job.team),
          escaped(job.state),
          escaped(job.machines),
          fmt::format("{}", minute_text(job.created)),
          hours_text(job.paid_hours),
          dollars(job.usd, job.usd_is_bound),
          saving_text(job),
          job.spot ? (job.interruptions ? fmt::format("{:.0f}", *job.interruptions) : "?") : "",
          generation,
          escaped(job.did) + (job.did_rule.empty() ? "" : " by " + escaped(job.did_rule)),
          job.failure ? std::string(rules::name(job.failure->label)) : std::string(),
          link.empty()
              ? ""
              : fmt::format(R"(<a href="{}" rel="noreferrer noopener">log</a>)", escaped(link))};
}

}  // namespace

std::string figures_section(const rules::Findings& findings, const rules::Totals& totals) {
  std::string out;
  if (is_judged(findings)) {
    out += figure("stopped", stopped_figure(totals), counted_value(totals.stopped.jobs),
                  stops_many(totals));
    out += figure("kept", kept_figure(totals), totals.kept_usd());
    out += figure("destroyed", destroyed_figure(totals), totals.destroyed_usd());
    out += figure("look", look_at_figure(totals), counted_value(totals.look_at.size()));
  } else {
    out += figure("paid", paid_figure(totals), totals.all.usd());
    out += figure("lost", lost_figure(totals),
                  totals.all.of(Spending::kFailed) + totals.all.of(Spending::kStopped));
    out += figure("jobs", jobs_figure(findings, totals), counted_value(totals.all.jobs));
  }
  return fmt::format(R"(<section class="figures" aria-label="The figures">{}</section>{})", out,
                     missing_keys_text(findings));
}

std::string weeks_section(const rules::Findings&, const rules::Totals& totals) {
  const std::string chart = spans_chart(totals);
  if (chart.empty()) return {};
  const bool by_day = !totals.days.empty();
  const std::vector<Spending> shown = spendings_in(totals.all);
  std::vector<HtmlTable::Column> columns = {
      {by_day ? "day" : "week of"}, {"jobs", true}, {"paid", true}};
  for (const Spending one : shown) columns.push_back({label(one), true});
  HtmlTable table(fmt::format("What was paid each {}; the columns after `paid` add up to it",
                              by_day ? "day" : "week"),
                  std::move(columns));
  for (const rules::SpanTotal& span : by_day ? totals.days : totals.weeks) {
    std::vector<std::string> cells = {long_day(sys_seconds(span.begin)), number_text(span.sum.jobs),
                                      dollars(span.sum.usd())};
    for (const Spending one : shown) cells.push_back(dollars(span.sum.of(one)));
    table.add(cells);
  }
  return section("weeks", by_day ? "Day by day" : "Week by week",
                 fmt::format("A column is what the jobs cost that were created {}, whenever they "
                             "ended. Its parts add up to what was paid.",
                             by_day ? "on that day" : "in that week"),
                 legend(totals.all.split) + chart +
                     folded(by_day ? "The days as a table" : "The weeks as a table", table.take()));
}

std::string costliest_section(const rules::Findings& findings, const rules::Totals& totals) {
  if (totals.costliest.empty()) return {};
  std::vector<std::size_t> shown = totals.costliest;
  shown.resize(std::min(shown.size(), kShownJobs));
  rules::Sum sum;
  bool measured = false;
  for (const std::size_t i : shown) {
    const rules::Split split = rules::split_of(findings.jobs[i]);
    for (std::size_t n = 0; n < split.size(); ++n) sum.split[n] += split[n];
    measured = measured || !findings.jobs[i].curves.empty();
  }
  std::string about = "Each bar is a job from the start of its training to its end, on one scale.";
  if (measured)
    about += " The strip below is its metric, the mean of all hosts; a gap is time without data.";
  if (is_judged(findings)) about += " The line is where a rule would have acted.";
  return section("costliest", "The costliest jobs", about,
                 legend(sum.split) + jobs_chart(findings, shown));
}

std::string look_at_section(const rules::Findings& findings, const rules::Totals& totals) {
  if (totals.look_at.empty()) return {};
  std::string first = R"(<ol class="stops">)";
  std::string rest = first;
  for (std::size_t i = 0; i < std::min(totals.look_at.size(), kListedJobs); ++i)
    (i < kShownStops ? first : rest) += stop_item(findings, findings.jobs[totals.look_at[i]]);
  first += "</ol>";
  if (totals.look_at.size() > kShownStops)
    first += folded(counted(totals.look_at.size() - kShownStops, "more stop", "more stops"),
                    rest + "</ol>");
  return section("look", "Look at these first",
                 "Wrong stops, the costliest first; then those of which what came after does not "
                 "tell. The command asks AWS about the job, and only reads.",
                 first);
}

std::string rules_section(const rules::Findings& findings, const rules::Totals& totals) {
  if (totals.rules.empty()) return {};
  const bool behind = any_behind(totals);
  std::vector<HtmlTable::Column> columns = {{"rule"},
                                            {"right stops", true},
                                            {"kept", true},
                                            {"wrong stops", true},
                                            {"destroyed", true},
                                            {"unknown", true},
                                            {"at creation", true},
                                            {"restarts", true},
                                            {"told", true},
                                            {"held back", true},
                                            {"undecided jobs", true}};
  if (behind) columns.push_back({"behind"});
  HtmlTable table("What each rule would have done", std::move(columns), /*stacks=*/true);
  for (const rules::RuleTotal& total : totals.rules) {
    const rules::RuleOfPolicy& rule = findings.rules[total.rule];
    const rules::StopSum& wrong = total.of(StopVerdict::kWrong);
    table.add(
        {fmt::format(R"({}{} <span class="mute">{}</span>)", escaped(rule.name),
                     rule.rests_on_tags ? "*" : "", rules::name(rule.mode)),
         number_text(total.of(StopVerdict::kRight).stops),
         dollars(total.of(StopVerdict::kRight).after_usd),
         wrong.stops == 0 ? "0" : fmt::format(R"(<span class="wrong">{}</span>)", wrong.stops),
         dollars(wrong.before_usd), number_text(total.of(StopVerdict::kUnknown).stops),
         number_text(total.of(StopVerdict::kRule).stops),
         total.wrong_restarts == 0 ? number_text(total.restarts.stops)
                                   : fmt::format(R"({} <span class="wrong">({} wrong)</span>)",
                                                 total.restarts.stops, total.wrong_restarts),
         number_text(total.notified), number_text(total.held_back), number_text(total.undecidable),
         behind_text(total)});
  }
  const bool on_tags = std::ranges::any_of(findings.rules, &rules::RuleOfPolicy::rests_on_tags);
  return section("rules", "Rules",
                 fmt::format("Every rule is taken as enforced, whatever its mode. A stop `at "
                             "creation` rests on what the job is: its money is never called "
                             "kept.{}{}",
                             behind ? " It leaves nothing to judge other rules by, so these go on "
                                      "as if it had not come: what they would have done then "
                                      "stands under `behind`, and in no sum."
                                    : "",
                             on_tags ? " * It rests on tags, which are today's." : ""),
                 table.take());
}

std::string groups_section(const rules::Findings& findings, const rules::Totals& totals) {
  const auto is_notified = [](const std::vector<rules::GroupTotal>& groups) {
    return groups.size() > 1 || (groups.size() == 1 && !groups.front().name.empty());
  };
  std::string out;
  if (is_notified(totals.teams)) out += group_table("team", totals.teams, findings);
  for (const rules::TagTotal& tag : totals.tags)
    if (tag.key != "team" && is_notified(tag.values))
      out += folded("By the tag " + tag.key, group_table(tag.key, tag.values, findings));
  return section("teams", "Teams and tags", "By the tags that the jobs have today.", out);
}

std::string failures_section(const rules::Totals& totals) {
  if (totals.failures.empty()) return {};
  HtmlTable table("Why jobs failed",
                  {{"failure"}, {"jobs", true}, {"paid", true}, {"run again"}, {"share"}});
  double most = 0;
  for (const rules::FailureTotal& one : totals.failures) most = std::max(most, one.sum.usd());
  for (const rules::FailureTotal& one : totals.failures)
    table.add({label_text(one.verdict), number_text(one.sum.jobs), dollars(one.sum.usd()),
               resume_text(one.verdict),
               fmt::format(R"(<div class="share">{}</div>)", split_bar(one.sum, most))});
  return section("failures", "Why jobs failed",
                 "`Run again` is whether it would have gone better a second time: yes, once, no.",
                 table.take());
}

std::string held_back_section(const rules::Findings& findings) {
  const std::vector<Counted> held = held_back(findings);
  if (held.empty()) return {};
  HtmlTable table("What limits and guards hold back", {{"rule"}, {"times", true}, {"because"}});
  for (std::size_t i = 0; i < std::min(held.size(), kShownReasons); ++i)
    table.add({escaped(held[i].rule), number_text(held[i].jobs), escaped(held[i].what)});
  const std::string more =
      held.size() > kShownReasons
          ? fmt::format(R"(<p class="mute">And {} more reasons: --json has all.</p>)",
                        held.size() - kShownReasons)
          : "";
  return section("held", "Held back", "Asked for by a rule, and refused by a limit or a guard.",
                 table.take() + more);
}

std::string unknown_section(const rules::Findings& findings, const rules::Totals& totals) {
  std::string list = R"(<ul class="unknown">)";
  for (const std::string& one : unknowns(findings, totals))
    list += fmt::format("<li>{}</li>", escaped(one));
  return section("unknown", "What this cannot know", "", list + "</ul>");
}

std::string jobs_section(const rules::Findings& findings, const rules::Totals& totals) {
  if (findings.jobs.empty()) return {};
  HtmlTable table("Each job", {{"job"},
                               {"owner"},
                               {"team"},
                               {"state"},
                               {"machines"},
                               {"created"},
                               {"hours", true},
                               {"cost", true},
                               {"Spot saving", true},
                               {"interruptions", true},
                               {"copy"},
                               {"Trainwarden did"},
                               {"failure"},
                               {"log"}});
  std::size_t listed = 0;
  for (const std::size_t i : totals.costliest)
    if (++listed <= kListedJobs) table.add(job_cells(findings.jobs[i]));
  for (const rules::JobFinding& job : findings.jobs)
    if (!job.usd && ++listed <= kListedJobs) table.add(job_cells(job));
  std::string html = table.take();
  if (findings.jobs.size() > kListedJobs)
    html += fmt::format(R"(<p class="mute">The costliest {} of {}: --json has all.</p>)",
                        kListedJobs, counted(findings.jobs.size(), "job", "jobs"));
  const std::string about =
      "The costliest first. What Trainwarden did stands in the job's tags, which prove nothing. "
      "The "
      "link opens the job's log in the CloudWatch console.";
  if (!is_judged(findings) && findings.jobs.size() <= kShownReasons)
    return section("all", "The jobs", about, html);
  return section("all", "The jobs", about,
                 folded(counted(findings.jobs.size(), "job", "jobs"), html));
}

}  // namespace trainwarden::cli
