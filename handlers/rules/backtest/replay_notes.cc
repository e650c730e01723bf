// What a replay notes beside stops: what could not be decided, and how far metrics reach.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "handlers/rules/backtest/replay.h"
#include "handlers/rules/job/job_at.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kMostCurveValues = 400;

// A rule's first one counts.
void note(JobFinding& finding, Undecidable one) {
  const auto& noted = finding.undecidable;
  if (std::ranges::find(noted, one.rule, &Undecidable::rule) == noted.end())
    finding.undecidable.push_back(std::move(one));
}

// The mean of all places that have the series.
Curve curve_of(const Watch& watch, std::span<const KeptSeries> all) {
  Curve out{.watch = watch.name, .metric = watch.metric, .period_seconds = watch.period_seconds};
  std::vector<std::pair<double, int>> sums;
  for (const KeptSeries& one : all) {
    if (one.what.metric != watch.metric || one.what.statistic != watch.statistic ||
        one.what.period_seconds != watch.period_seconds)
      continue;
    out.begin = one.span.begin;
    sums.resize(std::max(sums.size(), one.values.size()));
    for (std::size_t i = 0; i < one.values.size(); ++i)
      if (one.values[i]) {
        sums[i].first += *one.values[i];
        ++sums[i].second;
      }
  }
  const std::size_t together = (sums.size() + kMostCurveValues - 1) / kMostCurveValues;
  for (std::size_t i = 0; together > 0 && i < sums.size(); i += together) {
    double sum = 0;
    int count = 0;
    for (std::size_t j = i; j < std::min(sums.size(), i + together); ++j) {
      sum += sums[j].first;
      count += sums[j].second;
    }
    out.values.push_back(count > 0 ? std::optional(sum / count) : std::nullopt);
  }
  if (together > 1) out.period_seconds *= static_cast<std::int64_t>(together);
  return out;
}

}  // namespace

void Replay::note_undecidable(ReplayedJob& job, const Sources& sources,
                              const Evaluation& evaluation, sys_seconds at) {
  for (const Skipped& skipped : evaluation.skipped)
    note(job.finding, {.rule = skipped.index,
                       .cause = Undecidable::Cause::kSkipped,
                       .sources = skipped.sources,
                       .errors = skipped.errors});
  for (const std::size_t rule : job.kept().beyond)
    note(job.finding, {.rule = rule, .cause = Undecidable::Cause::kOtherPolicy});
  if (evaluation.needs.empty()) return;
  const Facts facts = facts_from(sources, policy_->prices(), at, policy_->failures());
  for (std::size_t i = 0; i < policy_->rules().size(); ++i) {
    const RuleVerdict verdict = evaluate_rule(*policy_, i, facts, Mode::kEnforce);
    if (verdict.verdict == Truth::kUnknown)
      note(job.finding,
           {.rule = i, .cause = Undecidable::Cause::kNotExported, .sources = verdict.needs});
  }
}

void Replay::count_watches(const ReplayedJob& job) {
  for (const auto& [watch, since] : job.watched) {
    const auto unkept = job.watches()->unkept(watch);
    WatchCoverage& count = coverage_[watch];
    if (!unkept)
      ++count.judged;
    else if (*unkept == Unkept::kTooOld)
      ++count.not_kept;
    else
      ++count.missing;
  }
}

// Rules that would have asked for what a watch found, had it been kept.
void Replay::note_unkept(ReplayedJob& job) {
  if (job.is_over()) return;
  for (const auto& [watch, since] : job.watched) {
    const auto unkept = job.watches()->unkept(watch);
    if (!unkept) continue;
    const Watch& definition = policy_->watches()[watch];
    const Sources sources = job.sources_at(since, Trigger::kAlarm,
                                           AlarmEvent{{}, definition.name, std::string(kInAlarm)});
    const Facts facts = facts_from(sources, policy_->prices(), since, policy_->failures());
    for (std::size_t i = 0; i < policy_->rules().size(); ++i) {
      const RuleVerdict verdict = evaluate_rule(*policy_, i, facts, Mode::kEnforce);
      if (!verdict.decision || !verdict.decision->rests_on_alarm) continue;
      note(job.finding, {.rule = i,
                         .cause = *unkept == Unkept::kTooOld ? Undecidable::Cause::kMetricTooOld
                                                             : Undecidable::Cause::kMetricMissing,
                         .watch = definition.name});
    }
  }
}

void Replay::keep_curves(std::size_t index, ReplayedJob& job) {
  if (terms_.curves == 0 || !job.finding.usd || job.kept().series.empty()) return;
  costliest_.emplace(*job.finding.usd, index);
  if (costliest_.size() > terms_.curves) {
    const auto least = costliest_.begin();
    const std::size_t out = least->second;
    costliest_.erase(least);
    if (out == index) return;
    found_[out].curves.clear();
  }
  for (const Watch& watch : policy_->watches()) {
    Curve curve = curve_of(watch, job.kept().series);
    if (!curve.values.empty()) job.finding.curves.push_back(std::move(curve));
  }
}

}  // namespace trainwarden::rules
