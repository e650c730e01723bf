#include "handlers/rules/weekly/week_notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "handlers/rules/notices/chat_text.h"
#include "handlers/rules/notices/plain_text.h"
#include "runtime/base/day.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

// A claim keeps 8 KiB of a notice, as a string of JSON; this leaves room for its topic.
constexpr std::size_t kLongestMessage = 7500;
// What chat takes (notices/chat_text.h).
constexpr std::size_t kLongestText = 2900;

// The teams of a report: those with a line of their own, and the rest.
struct Shares {
  std::size_t shown;
  std::size_t others;  // teams
  WeekSum rest = {};
};

Shares shares_of(const WeekReport& report, std::size_t most) {
  Shares out{std::min(report.teams.size(), most), 0};
  out.others = report.teams.size() - out.shown;
  for (std::size_t i = out.shown; i < report.teams.size(); ++i) out.rest.add(report.teams[i].sum);
  return out;
}

std::string team_name(std::string_view team) {
  std::string out = plain(team);
  std::ranges::replace(out, '"', '\'');
  if (out.size() <= kLongestTeam) return out;
  out.resize(json::utf8_boundary(out, kLongestTeam - 3));
  return out + "\u2026";
}

std::string jobs(std::size_t number) {
  return fmt::format("{} {}", number, number == 1 ? "job" : "jobs");
}

// "1,556.10 USD", or that nobody knows.
std::string cost(const Sum& sum, std::string_view nobody_knows = "cost unknown") {
  if (sum.jobs == sum.without_price) return sum.jobs == 0 ? money(0) : std::string(nobody_knows);
  std::string out = (sum.bounds > 0 ? "at most " : "") + money(sum.usd());
  if (sum.without_price > 0) out += fmt::format(" and {} without a price", jobs(sum.without_price));
  return out;
}

std::string running(const WeekSum& sum) {
  return fmt::format("{} still {} ({} so far)", sum.running.jobs,
                     sum.running.jobs == 1 ? "runs" : "run", cost(sum.running));
}

// "12 jobs ended: 2,000.00 USD; 2 failed: 300.00 USD; 1 still runs (20.00 USD so far)"
std::string team_figures(const WeekSum& sum) {
  std::string out;
  if (sum.ended.jobs > 0) out = fmt::format("{} ended: {}", jobs(sum.ended.jobs), cost(sum.ended));
  for (const Spending end : {Spending::kFailed, Spending::kStopped})
    if (sum.of(end).jobs > 0)
      out += fmt::format("; {} {}: {}", sum.of(end).jobs, name(end), cost(sum.of(end)));
  if (sum.running.jobs > 0) out.append(out.empty() ? "" : "; ").append(running(sum));
  return out;
}

std::string account_and_region(const WeekReport& report) {
  std::string out;
  if (!report.account.empty()) out += " of the account " + report.account;
  if (!report.region.empty()) out += " in " + report.region;
  return out;
}

void add_cut(std::string& out, const std::optional<ListCut>& cut, std::string_view what) {
  if (!cut) return;
  out += fmt::format("INCOMPLETE: time ran out before all jobs {} were listed. ", what);
  out += cut->reached
             ? fmt::format("Those that were created after {} are missing.", rfc3339(*cut->reached))
             : std::string("None of them is in these figures.");
  out += '\n';
}

// Names are bounded, and so is their number.
std::span<const std::string> first(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  return std::span(names).first(std::min(names.size(), kNamed));
}

std::string some_of(const std::vector<std::string>& names) {
  const auto named = first(names);
  std::string out = fmt::format("{}", fmt::join(named, ", "));
  if (named.size() < names.size()) out += fmt::format(" and {} more", names.size() - named.size());
  return out;
}

std::string summary(const WeekReport& report) {
  const WeekSum& all = report.all;
  std::string out =
      fmt::format("Training jobs{} that ended from {} until {}.\n", account_and_region(report),
                  rfc3339(report.from), rfc3339(report.until));
  add_cut(out, report.ended_cut, "that ended");
  add_cut(out, report.running_cut, "that run");
  if (!report.too_large.empty())
    out += fmt::format("INCOMPLETE: {} in no figure, since the description is too large: {}\n",
                       report.too_large.size() == 1 ? "this job is" : "these jobs are",
                       some_of(report.too_large));
  out += '\n';
  if (all.is_empty())
    return out + (report.is_complete() ? "No training job ended in this week, and none runs.\n"
                                       : "No training job was found so far.\n");
  if (all.ended.jobs == 0) {
    out += "No job ended.\n";
  } else {
    out += fmt::format("{} ended: {} completed, {} failed, {} stopped.\n", jobs(all.ended.jobs),
                       all.of(Spending::kCompleted).jobs, all.of(Spending::kFailed).jobs,
                       all.of(Spending::kStopped).jobs);
    constexpr std::string_view kUnknown = "unknown";
    out += fmt::format("Cost: {}, for {:.1f} hours of machines.\n", cost(all.ended, kUnknown),
                       all.machine_hours);
    out += fmt::format("Wasted at most: {} (failed jobs: {}; stopped jobs: {}).\n",
                       cost(all.wasted(), kUnknown), cost(all.of(Spending::kFailed), kUnknown),
                       cost(all.of(Spending::kStopped), kUnknown));
  }
  if (all.running.jobs > 0)
    out += fmt::format("Besides, {}. This is in no other figure.\n", running(all));
  return out;
}

std::string teams(const WeekReport& report, std::size_t most, std::string_view quote) {
  if (report.teams.empty() && report.no_team.is_empty()) return {};
  const Shares shares = shares_of(report, most);
  std::string out = "\nBy team, the costliest first:\n";
  for (std::size_t i = 0; i < shares.shown; ++i)
    out += fmt::format("- {1}{0}{1}: {2}\n", team_name(report.teams[i].team), quote,
                       team_figures(report.teams[i].sum));
  if (shares.others > 0)
    out +=
        fmt::format("- {} {}: {}\n", shares.others,
                    shares.others == 1 ? "other team" : "other teams", team_figures(shares.rest));
  if (!report.no_team.is_empty())
    out += fmt::format("- jobs without a tag team: {}\n", team_figures(report.no_team));
  return out;
}

// What the figures mean, for whoever sees them first.
std::string explanation(const WeekReport& report) {
  if (report.all.is_empty()) return {};
  std::string out =
      "\nA job counts to the week in which it ended, with all that it cost by the policy's prices. "
      "What a stopped job cost need not be lost: it may have left a checkpoint or a model.";
  if (report.all.ended.without_price + report.all.running.without_price > 0)
    out += " A job without a price is in no sum of money.";
  if (report.all.ended.bounds + report.all.running.bounds > 0)
    out += " `At most`: a spot job's price lacks its spot_factor.";
  return out + '\n';
}

double cents(double usd) { return std::round(usd * 100) / 100; }

// A sum of nothing that has a price is not known: it is left out.
void write_usd(json::Sink& sink, std::string_view member, const Sum& sum) {
  if (sum.jobs == 0 || sum.jobs > sum.without_price) sink.member(member, cents(sum.usd()));
}

void write_sum(json::Sink& sink, const WeekSum& sum) {
  sink.member("ended", sum.ended.jobs);
  for (const Spending end : {Spending::kCompleted, Spending::kFailed, Spending::kStopped})
    sink.member(name(end), sum.of(end).jobs);
  sink.member("running", sum.running.jobs);
  sink.member("without_price", sum.ended.without_price + sum.running.without_price);
  if (const auto bounds = sum.ended.bounds + sum.running.bounds; bounds > 0)
    sink.member("upper_bounds", bounds);
  sink.member("machine_hours", cents(sum.machine_hours));
  write_usd(sink, "usd", sum.ended);
  write_usd(sink, "failed_usd", sum.of(Spending::kFailed));
  write_usd(sink, "stopped_usd", sum.of(Spending::kStopped));
  write_usd(sink, "running_usd", sum.running);
}

void write_cut(json::Sink& sink, std::string_view list, const std::optional<ListCut>& cut) {
  if (!cut) return;
  sink.key(list);
  if (cut->reached)
    sink.string(rfc3339(*cut->reached));
  else
    sink.null();
}

std::string json_message(const WeekReport& report, std::size_t most) {
  json::Writer sink;
  sink.begin_object().member("outcome", kReportOutcome);
  write_week(sink, report, most);
  sink.end_object();
  return json::one_line(sink.take());
}

std::string text_for_chat(const WeekReport& report, std::size_t most) {
  return summary(report) + teams(report, most, "`") + explanation(report);
}

// As a string of JSON, where some characters take two bytes.
std::size_t kept_size(std::string_view message) {
  const auto takes_two = [](char c) { return c == '"' || c == '\\' || c == '\n'; };
  return message.size() + static_cast<std::size_t>(std::ranges::count_if(message, takes_two));
}

}  // namespace

void write_week(json::Sink& sink, const WeekReport& report, std::size_t most_teams) {
  sink.member("from", rfc3339(report.from)).member("until", rfc3339(report.until));
  if (!report.account.empty()) sink.member("account", report.account);
  if (!report.region.empty()) sink.member("region", report.region);
  sink.member("complete", report.is_complete());
  if (!report.too_large.empty()) {
    sink.key("too_large").begin_array();
    for (const std::string& job : first(report.too_large)) sink.string(job);
    sink.end_array();
  }
  if (report.running_cut || report.ended_cut) {
    sink.key("listed_up_to").begin_object();
    write_cut(sink, "ended", report.ended_cut);
    write_cut(sink, "running", report.running_cut);
    sink.end_object();
  }
  sink.key("all").begin_object();
  write_sum(sink, report.all);
  sink.end_object();
  const Shares shares = shares_of(report, most_teams);
  sink.key("teams").begin_array();
  for (std::size_t i = 0; i < shares.shown; ++i) {
    sink.begin_object().member("team", team_name(report.teams[i].team));
    write_sum(sink, report.teams[i].sum);
    sink.end_object();
  }
  sink.end_array();
  if (shares.others > 0) {
    sink.key("other_teams").begin_object().member("teams", shares.others);
    write_sum(sink, shares.rest);
    sink.end_object();
  }
  if (report.no_team.is_empty()) return;
  sink.key("no_team").begin_object();
  write_sum(sink, report.no_team);
  sink.end_object();
}

Notice week_notice(NoticeFormat format, const WeekReport& report) {
  Notice out;
  out.subject = fmt::format("Trainwarden: training in the week until {}{}",
                            rfc3339_day(report.until), report.is_complete() ? "" : " (incomplete)");
  out.attributes = {{"outcome", std::string(kReportOutcome)}};
  for (std::size_t most = kMostTeams;; --most) {
    bool fits = true;
    switch (format) {
      case NoticeFormat::kText:
        out.message = summary(report) + teams(report, most, "\"") + explanation(report);
        break;
      case NoticeFormat::kJson:
        out.message = json_message(report, most);
        break;
      case NoticeFormat::kChat: {
        const std::string text = text_for_chat(report, most);
        out.message = chat_message(out.subject, text);
        fits = text.size() <= kLongestText;
        break;
      }
    }
    if (most == 0 || (fits && kept_size(out.message) <= kLongestMessage)) return out;
  }
}

}  // namespace trainwarden::rules
