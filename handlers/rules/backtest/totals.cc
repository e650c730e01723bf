#include "handlers/rules/backtest/totals.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace trainwarden::rules {
namespace {

// A tag with a value for nearly every job, such as a name or a time, makes no totals.
constexpr std::size_t kFewValues = 12;
constexpr std::size_t kMostKeys = 20;
constexpr std::chrono::weeks kFewDays{3};

std::size_t at(Spending spending) { return static_cast<std::size_t>(spending); }
std::size_t at(StopVerdict verdict) { return static_cast<std::size_t>(verdict); }

void add_to(Sum& sum, const JobFinding& job) {
  rules::add_to(sum, {job.paid_hours, job.usd, job.usd_is_bound}, split_of(job));
}

void add_to(StopSum& sum, const ReplayedStop& stop) {
  ++sum.stops;
  if (!stop.before_usd || !stop.after_usd) ++sum.without_price;
  sum.before_usd += stop.before_usd.value_or(0);
  sum.after_usd += stop.after_usd.value_or(0);
}

void add_to(StopSums& sums, const ReplayedStop& stop) {
  add_to(stop.restarts ? sums.restarts : sums.verdict[at(stop.verdict)], stop);
  if (stop.restarts && stop.verdict == StopVerdict::kWrong) ++sums.wrong_restarts;
}

void add_to(StoppedJobs& sum, const JobFinding& job) {
  if (!job.asked) return;
  ++sum.jobs;
  if (job.asked->verdict == StopVerdict::kRule) ++sum.by_what_they_are;
  if (job.asked->restarts) ++sum.restarts;
  if (!job.stop) ++sum.held_back;
  if (!job.usd) ++sum.without_price;
  sum.usd += job.usd.value_or(0);
}

// Of one job; rules that the policy does not have are left out.
void add_to(std::vector<RuleTotal>& rules, const JobFinding& job) {
  const auto find = [&rules](std::size_t rule) {
    return rule < rules.size() ? &rules[rule] : nullptr;
  };
  if (job.stop)
    if (RuleTotal* const rule = find(job.stop->rule)) add_to(*rule, *job.stop);
  if (job.asked)
    if (RuleTotal* const rule = find(job.asked->rule)) ++rule->asked;
  for (const ReplayedStop& stop : job.behind)
    if (RuleTotal* const rule = find(stop.rule)) add_to(rule->behind, stop);
  for (const ReplayedAction& action : job.actions)
    if (RuleTotal* const rule = find(action.rule)) {
      if (action.action == ActionKind::kNotify)
        ++(action.behind ? rule->notified_behind : rule->notified);
      else if (action.behind)
        continue;
      else if (action.action == ActionKind::kTag)
        ++rule->tagged;
      else
        ++rule->other_actions;
    }
  for (const HeldBack& held : job.held_back)
    if (RuleTotal* const rule = find(held.rule)) ++rule->held_back;
  std::set<std::size_t> undecidable;
  for (const Undecidable& one : job.undecidable) undecidable.insert(one.rule);
  for (const std::size_t one : undecidable)
    if (RuleTotal* const rule = find(one)) ++rule->undecidable;
}

std::chrono::sys_days monday_of(sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return day - (std::chrono::weekday(day) - std::chrono::Monday);
}

using Groups = std::map<std::string, GroupTotal, std::less<>>;

void add_to(Groups& groups, const std::string& name, const JobFinding& job) {
  GroupTotal& group = groups[name];
  group.name = name;
  if (job.stop) ++group.stops;
  add_to(group.sum, job);
}

std::vector<GroupTotal> in_order(Groups groups) {
  std::vector<GroupTotal> out;
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  std::ranges::stable_sort(out, [](const GroupTotal& a, const GroupTotal& b) {
    if (a.name.empty() != b.name.empty()) return b.name.empty();
    if (a.sum.usd() != b.sum.usd()) return a.sum.usd() > b.sum.usd();
    return a.sum.jobs > b.sum.jobs;
  });
  return out;
}

// The keys that most jobs have, in their order of letters: an account may have any number of keys.
std::vector<std::string> usual_keys(const std::vector<JobFinding>& jobs) {
  std::map<std::string, std::size_t> counts;
  for (const JobFinding& job : jobs)
    for (const auto& [key, value] : job.tags) ++counts[key];
  std::vector<std::pair<std::string, std::size_t>> keys(counts.begin(), counts.end());
  std::ranges::stable_sort(keys, std::greater{}, [](const auto& one) { return one.second; });
  if (keys.size() > kMostKeys) keys.resize(kMostKeys);
  std::vector<std::string> out;
  out.reserve(keys.size());
  for (auto& [key, count] : keys) out.push_back(std::move(key));
  std::ranges::sort(out);
  return out;
}

std::vector<TagTotal> tags_of(const std::vector<JobFinding>& jobs) {
  std::vector<TagTotal> out;
  for (const std::string& key : usual_keys(jobs)) {
    Groups groups;
    for (const JobFinding& job : jobs) {
      const auto tag = std::ranges::find(job.tags, key, [](const auto& one) { return one.first; });
      add_to(groups, tag == job.tags.end() ? std::string() : tag->second, job);
    }
    if (groups.size() <= std::max(kFewValues, jobs.size() / 2))
      out.push_back({key, in_order(std::move(groups))});
  }
  return out;
}

std::chrono::sys_days day_of(sys_seconds time) {
  return std::chrono::floor<std::chrono::days>(time);
}

// Spans of that length; begin_of: where the one begins in which a time lies. whole: also those
// before the first job and after the last.
template <class Span>
std::vector<SpanTotal> spans_of(const Findings& findings, Span length,
                                std::chrono::sys_days (*begin_of)(sys_seconds time), bool whole) {
  if (findings.jobs.empty()) return {};
  // A job whose creation nobody tells counts to the first span: no table has one for it.
  const auto within = [&](const JobFinding& job) {
    return std::max(findings.since, std::min(findings.until, job.created));
  };
  const auto [first, last] = std::ranges::minmax_element(findings.jobs, {}, within);
  std::vector<SpanTotal> out;
  const sys_seconds from = whole ? findings.since : within(*first);
  const sys_seconds to =
      whole ? std::max(findings.until - std::chrono::seconds(1), within(*last)) : within(*last);
  for (auto begin = begin_of(from); begin <= to; begin += length) out.push_back({begin});
  for (const JobFinding& job : findings.jobs) {
    const auto nth = std::chrono::floor<Span>(within(job) - out.front().begin);
    add_to(out[static_cast<std::size_t>(nth.count())].sum, job);
  }
  return out;
}

std::vector<FailureTotal> failures_of(const std::vector<JobFinding>& jobs) {
  std::map<std::pair<std::string_view, std::string_view>, FailureTotal> sums;  // by names
  for (const JobFinding& job : jobs) {
    if (job.status != JobStatus::kFailed) continue;
    const auto& verdict = job.failure;
    FailureTotal& total = verdict ? sums[{name(verdict->label), name(verdict->resume)}] : sums[{}];
    total.verdict = verdict;
    add_to(total.sum, job);
  }
  std::vector<FailureTotal> out;
  out.reserve(sums.size());
  for (auto& [names, total] : sums) out.push_back(total);
  std::ranges::stable_sort(out, std::greater{}, [](const FailureTotal& one) {
    return std::pair(one.sum.jobs, one.sum.usd());
  });
  return out;
}

// What is at stake: the work that a wrong stop had thrown away; what came after another one.
double stake(const ReplayedStop& stop) {
  return (stop.verdict == StopVerdict::kWrong ? stop.before_usd : stop.after_usd).value_or(-1);
}

std::vector<std::size_t> to_look_at(const std::vector<JobFinding>& jobs) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& stop = jobs[i].stop;
    if (stop && (stop->verdict == StopVerdict::kWrong || stop->verdict == StopVerdict::kUnknown))
      out.push_back(i);
  }
  std::ranges::stable_sort(out, [&jobs](std::size_t a, std::size_t b) {
    const ReplayedStop& one = *jobs[a].stop;
    const ReplayedStop& other = *jobs[b].stop;
    if (one.verdict != other.verdict) return one.verdict == StopVerdict::kWrong;
    return stake(one) > stake(other);
  });
  return out;
}

}  // namespace

std::string_view name(StopVerdict verdict) {
  static constexpr std::array<std::string_view, 4> kNames = {"rule", "wrong", "right", "unknown"};
  return kNames[at(verdict)];
}

std::string_view name(StopGround ground) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "fixed_at_creation", "completed", "metric_came_back", "breach_lasted", "reached_limit",
      "failed_for_good",   "failed",    "stopped",          "runs_still",    "not_told"};
  return kNames[static_cast<std::size_t>(ground)];
}

Split split_of(const JobFinding& job) {
  Split out = {};
  if (!job.usd) return out;
  double rest = *job.usd;
  const auto take = [&](Spending spending, std::optional<double> usd) {
    const double part = std::clamp(usd.value_or(0), 0.0, rest);
    out[at(spending)] += part;
    rest -= part;
  };
  if (job.stop) {
    const bool for_good = !job.stop->restarts;
    if (for_good && job.stop->verdict == StopVerdict::kRight)
      take(Spending::kKept, job.stop->after_usd);
    else if (for_good && job.stop->verdict == StopVerdict::kWrong)
      take(Spending::kDestroyed, job.stop->before_usd);
    else
      take(Spending::kOther, job.stop->after_usd);
  }
  out[at(by_end(job.status))] += rest;
  return out;
}

std::size_t Totals::stops() const {
  return std::accumulate(verdict.begin(), verdict.end(), std::size_t{0},
                         [](std::size_t sum, const StopSum& one) { return sum + one.stops; });
}

std::size_t Totals::wrong_with_behind() const {
  return std::accumulate(
      rules.begin(), rules.end(), wrong(),
      [](std::size_t sum, const RuleTotal& rule) { return sum + rule.behind.wrong(); });
}

Totals totals_of(const Findings& findings) {
  Totals out;
  out.rules.resize(findings.rules.size());
  for (std::size_t i = 0; i < out.rules.size(); ++i) out.rules[i].rule = i;
  Groups teams;
  for (std::size_t i = 0; i < findings.jobs.size(); ++i) {
    const JobFinding& job = findings.jobs[i];
    add_to(out.all, job);
    add_to(teams, job.team, job);
    add_to(out.rules, job);
    add_to(out.stopped, job);
    if (job.stop) add_to(static_cast<StopSums&>(out), *job.stop);
    out.held_back += job.held_back.size();
    if (!job.undecidable.empty()) ++out.undecidable;
    if (job.usd) out.costliest.push_back(i);
  }
  std::ranges::stable_sort(out.costliest, std::greater{},
                           [&findings](std::size_t i) { return *findings.jobs[i].usd; });
  out.teams = in_order(std::move(teams));
  out.tags = tags_of(findings.jobs);
  out.weeks = spans_of(findings, std::chrono::weeks(1), monday_of, /*whole=*/false);
  if (findings.until - findings.since < kFewDays)
    out.days = spans_of(findings, std::chrono::days(1), day_of, /*whole=*/true);
  out.failures = failures_of(findings.jobs);
  out.look_at = to_look_at(findings.jobs);
  return out;
}

}  // namespace trainwarden::rules
