#include "handlers/rules/backtest/watch_replay.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/alarms/job_past.h"
#include "handlers/rules/alarms/witness.h"
#include "handlers/rules/backtest/alarm_evaluation.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

using std::chrono::seconds;
using Values = std::vector<std::optional<double>>;

// What an alarm makes of its hosts' values: as alarm_plan.h's metric math does, one over the
// highest, the lowest or the mean of them.
enum class Over : std::uint8_t { kHighest, kLowest, kMean };

Over over(const Watch& watch) {
  if (watch.hosts == Watch::Hosts::kMean) return Over::kMean;
  const bool highest = less_is_breach(watch) == (watch.hosts == Watch::Hosts::kEvery);
  return highest ? Over::kHighest : Over::kLowest;
}

// All of one watch have one span. MAX and MIN pass over a host without a datapoint; AVG counts it
// as 0.
Values together(Over function, std::span<const KeptSeries* const> hosts) {
  if (hosts.size() == 1) return hosts.front()->values;
  Values out;
  for (const KeptSeries* const host : hosts) out.resize(std::max(out.size(), host->values.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (const KeptSeries* const host : hosts) {
      if (i >= host->values.size() || !host->values[i]) continue;
      const double value = *host->values[i];
      sum += value;
      out[i] = !out[i]                      ? value
               : function == Over::kHighest ? std::max(*out[i], value)
                                            : std::min(*out[i], value);
    }
    if (function == Over::kMean && out[i]) out[i] = sum / static_cast<double>(hosts.size());
  }
  return out;
}

// The begin of the breach that ends with that period: as far back as nothing speaks against it.
std::size_t begin_of_breach(const AlarmTerms& terms, const Values& values, std::size_t last) {
  std::size_t out = last;
  for (std::size_t i = last + 1; i-- > 0;) {
    if (i < values.size() && values[i]) {
      if (!terms.breaches(*values[i])) break;
      out = i;
    } else if (terms.missing == Watch::Missing::kBreaching) {
      out = i;
    }
  }
  return out;
}

HistorySeries of_host(const Watch& watch, std::string_view metric, std::string_view statistic,
                      std::string_view job, std::int64_t host) {
  return {std::string(metric),
          std::string(statistic),
          watch.period_seconds,
          "algo-" + std::to_string(host),
          "Host",
          host_name(job, host)};
}

HistorySeries of_algorithm(const Watch& watch, std::string_view metric, std::string_view statistic,
                           std::string_view job) {
  return {std::string(metric), std::string(statistic), watch.period_seconds, "job",
          "TrainingJobName",   std::string(job)};
}

// The datapoints that lie in [begin, end) and had arrived by then.
void add_datapoints(const KeptSeries& from, sys_seconds begin, sys_seconds end, sys_seconds now,
                    std::vector<Datapoint>& to) {
  const seconds period(from.what.period_seconds);
  const auto first = std::max<std::int64_t>(0, (begin - from.span.begin) / period);
  for (auto i = static_cast<std::size_t>(first); i < from.values.size(); ++i) {
    const sys_seconds at = from.span.begin + period * static_cast<std::int64_t>(i);
    if (at >= end || at + period + kArrival > now) break;
    if (from.values[i] && at >= begin) to.push_back({at, *from.values[i]});
  }
}

}  // namespace

struct WatchReplay::Watched {
  AlarmHosts hosts;
  std::vector<const KeptSeries*> series = {};  // of each host; nullptr: not in the export
  AlarmTerms terms;
  // Of a watch that compares with the job's past (W6): what that comes to at the end of the data.
  std::optional<std::expected<JobPast, Reason>> past = {};

  const KeptSeries& any() const { return *series.front(); }
};

const KeptSeries* WatchReplay::find(const HistorySeries& what) const {
  const auto found = std::ranges::lower_bound(series_, what, {}, &KeptSeries::what);
  return found != series_.end() && found->what == what ? &*found : nullptr;
}

std::optional<WatchReplay::Watched> WatchReplay::watched(const Watch& watch) const {
  const bool algorithm = watch.source == Watch::Source::kAlgorithm;
  if (algorithm && !defines_metric(job_, watch.metric)) return std::nullopt;
  const auto hosts = alarm_hosts(watch, job_);
  if (!hosts || !first_training(job_)) return std::nullopt;
  Watched out{
      .hosts = *hosts,
      .terms = {static_cast<std::size_t>(watch.periods), static_cast<std::size_t>(watch.datapoints),
                hosts->threshold, watch.comparison, watch.missing}};
  for (std::int64_t host = 1; host <= hosts->count; ++host)
    out.series.push_back(
        find(algorithm ? of_algorithm(watch, watch.metric, watch.statistic, job_.name)
                       : of_host(watch, watch.metric, watch.statistic, job_.name, host)));
  if (watch.drop_to) take_past(watch, out);
  return out;
}

// Without a past nothing breaches: the threshold is not a number.
void WatchReplay::take_past(const Watch& watch, Watched& of) {
  std::vector<Datapoint> series;
  if (const KeptSeries* const kept = of.series.front())
    for (std::size_t i = 0; i < kept->values.size(); ++i)
      if (kept->values[i])
        series.push_back(
            {kept->span.begin + seconds(watch.period_seconds) * static_cast<std::int64_t>(i),
             *kept->values[i]});
  auto past = past_of(watch, series, sys_seconds::max());
  if (past) of.terms.threshold = with_past(watch, *past).threshold;
  of.past = std::move(past);
}

std::optional<Unkept> WatchReplay::unkept(std::size_t index) const {
  const auto found = watched(policy_.watches()[index]);
  if (!found) return std::nullopt;
  if (std::ranges::find(found->series, nullptr) != found->series.end()) return Unkept::kMissing;
  return found->any().span.cut ? std::optional(Unkept::kTooOld) : std::nullopt;
}

// Whether the alarm is there at that time: not before the past is known that it compares with.
bool WatchReplay::stands(const Watched& found, sys_seconds at) {
  if (!found.past) return true;
  const auto& past = *found.past;
  return past && at >= past->known_from;
}

void WatchReplay::add_calls(std::size_t index, std::vector<WatchCall>& out) const {
  const Watch& watch = policy_.watches()[index];
  const auto found = watched(watch);
  if (!found || std::ranges::find(found->series, nullptr) != found->series.end()) return;
  const std::size_t parts = (found->series.size() + kHostsPerAlarm - 1) / kHostsPerAlarm;
  const HistorySpan span = found->any().span;
  const seconds period(watch.period_seconds);
  const auto periods =
      static_cast<std::size_t>(std::max<std::int64_t>(0, (span.end - span.begin) / period));
  AlarmTerms terms = found->terms;
  if (watch.hosts == Watch::Hosts::kMean) terms.datapoints = (terms.datapoints + parts - 1) / parts;
  for (std::size_t part = 0; part < parts; ++part) {
    // As alarm_plan.h has it: where every host must breach, the first alarm calls alone.
    if (part > 0 && watch.hosts == Watch::Hosts::kEvery && !found->hosts.heterogeneous) break;
    const std::size_t first = part * kHostsPerAlarm;
    const std::size_t count = std::min<std::size_t>(kHostsPerAlarm, found->series.size() - first);
    Values values = together(over(watch), std::span(found->series).subspan(first, count));
    values.resize(periods);
    AlarmLight light = AlarmLight::kInsufficientData;
    for (std::size_t i = 0; i < periods; ++i) {
      if (!stands(*found, span.begin + period * static_cast<std::int64_t>(i + 1) + kArrival))
        continue;
      const AlarmLight now = evaluate_alarm(terms, std::span(values).first(i + 1), light);
      if (now == AlarmLight::kAlarm && light != AlarmLight::kAlarm) {
        const AlarmName name{std::string(job_.name), watch.name,
                             parts == 1 ? 0 : static_cast<int>(part + 1),
                             std::string(kAlarmPrefix)};
        const auto at = [&](std::size_t nth) {
          return span.begin + period * static_cast<std::int64_t>(nth);
        };
        out.push_back({at(i + 1) + kArrival,
                       index,
                       {name.str(), watch.name, std::string(kInAlarm)},
                       at(begin_of_breach(terms, values, i))});
      }
      if (now != AlarmLight::kAlarm && light == AlarmLight::kAlarm)
        out.back().until = span.begin + period * static_cast<std::int64_t>(i + 1) + kArrival;
      light = now;
    }
  }
}

std::vector<WatchCall> WatchReplay::calls() const {
  std::vector<WatchCall> out;
  for (std::size_t watch = 0; watch < policy_.watches().size(); ++watch)
    if (!unkept(watch)) add_calls(watch, out);
  std::ranges::stable_sort(out, {}, &WatchCall::at);
  return out;
}

Evidence WatchReplay::evidence(const Watch& watch, const Watched& found, const Confirmation& plan,
                               sys_seconds now) const {
  Evidence out{.data = HostData(found.series.size())};
  sys_seconds begin = sys_seconds::max();
  sys_seconds end = sys_seconds::min();
  for (const MetricRequest& request : plan.requests()) {
    begin = std::min(begin, request.begin);
    end = std::max(end, request.end);
  }
  for (std::size_t i = 0; i < found.series.size(); ++i)
    add_datapoints(*found.series[i], begin, end, now, out.data[i]);
  out.witnesses.hosts.resize(static_cast<std::size_t>(plan.machine_count()));
  for (std::size_t i = 0; i < out.witnesses.hosts.size(); ++i)
    for (const std::string_view metric : kHostWitnesses)
      if (const KeptSeries* const series = find(
              of_host(watch, metric, "SampleCount", job_.name, static_cast<std::int64_t>(i + 1))))
        add_datapoints(*series, begin, end, now, out.witnesses.hosts[i]);
  if (watch.source != Watch::Source::kAlgorithm) return out;
  for (const MetricDefinition& own : metric_definitions(job_))
    if (own.name != watch.metric)
      if (const KeptSeries* const series =
              find(of_algorithm(watch, own.name, "SampleCount", job_.name)))
        add_datapoints(*series, begin, end, now, out.witnesses.own);
  return out;
}

// Whether each gap of each host in those periods has a witness: a datapoint of another metric, in
// that period or beside it. An outage of metrics is no silence of a job.
bool WatchReplay::witnessed(const Watch& watch, const Watched& found, std::size_t first,
                            std::size_t end) const {
  std::vector<HistorySeries> others;
  for (std::size_t i = 0; i < found.series.size(); ++i) {
    others.clear();
    if (watch.source == Watch::Source::kAlgorithm) {
      for (const MetricDefinition& own : metric_definitions(job_))
        if (own.name != watch.metric)
          others.push_back(of_algorithm(watch, own.name, "SampleCount", job_.name));
    } else {
      for (const std::string_view metric : kHostWitnesses)
        others.push_back(
            of_host(watch, metric, "SampleCount", job_.name, static_cast<std::int64_t>(i + 1)));
    }
    const auto& values = found.series[i]->values;
    for (std::size_t nth = first; nth < end; ++nth) {
      if (nth < values.size() && values[nth]) continue;
      const auto speaks = [&](const HistorySeries& what) {
        const KeptSeries* const other = find(what);
        if (other == nullptr) return false;
        const std::size_t last = std::min(nth + 2, other->values.size());
        for (std::size_t at = nth - std::min<std::size_t>(nth, 1); at < last; ++at)
          if (other->values[at]) return true;
        return false;
      };
      if (!std::ranges::any_of(others, speaks)) return false;
    }
  }
  return true;
}

std::expected<Judgement, Reason> WatchReplay::judge(std::size_t index, const TrainingJob& as_of,
                                                    sys_seconds now) const {
  Watch watch = policy_.watches()[index];
  const auto found = watched(watch);
  if (found && found->past) {
    const auto& past = *found->past;
    if (!past) return std::unexpected(past.error());
    if (stands(*found, now)) watch = with_past(watch, *past);
  }
  const auto plan = Confirmation::plan(watch, job_.name, as_of, now);
  if (!plan) return std::unexpected(plan.error());
  if (!found || unkept(index))
    return std::unexpected(Reason{.why = Why::kNoMetricArrives, .name = watch.metric});
  Evidence known = evidence(watch, *found, *plan, now);
  Judgement out = plan->judge(known);
  if (out.kind == Judgement::Kind::kAskHistory) {
    known.history = HostData(found->series.size());
    // What an earlier segment had tells nothing of this one: only the requests say from when on.
    for (const MetricRequest& request : plan->history_requests(out.silent))
      for (const std::int64_t host : request.hosts) {
        const auto i = static_cast<std::size_t>(host - 1);
        add_datapoints(*found->series[i], request.begin, request.end, now, (*known.history)[i]);
      }
    out = plan->judge(known);
  }
  if (out.kind == Judgement::Kind::kAskLog || out.kind == Judgement::Kind::kAskHistory)
    return std::unexpected(Reason{.why = Why::kNothingWitnesses, .name = watch.metric});
  if (out.blind) return std::unexpected(*std::move(out.blind));
  return out;
}

std::optional<bool> WatchReplay::lasted(std::size_t index, sys_seconds confirmed) const {
  const Watch& watch = policy_.watches()[index];
  const auto found = watched(watch);
  if (!found || unkept(index)) return std::nullopt;
  const HistorySpan span = found->any().span;
  const seconds period(watch.period_seconds);
  const auto periods =
      static_cast<std::size_t>(std::max<std::int64_t>(0, (span.end - span.begin) / period));
  const auto after = static_cast<std::size_t>(std::clamp<std::int64_t>(
      (confirmed - span.begin) / period, 0, static_cast<std::int64_t>(periods)));
  Values values = together(over(watch), found->series);
  values.resize(periods);
  AlarmTerms terms = found->terms;
  // A mean is one of all hosts, and no gap speaks of it (confirmation.h).
  if (watch.hosts == Watch::Hosts::kMean && found->series.size() > 1) {
    terms.missing = Watch::Missing::kMissing;
    for (std::size_t i = 0; i < periods; ++i)
      for (const KeptSeries* const host : found->series)
        if (i >= host->values.size() || !host->values[i]) values[i].reset();
  }
  std::size_t well = 0;
  for (std::size_t i = after; i < periods; ++i) {
    if (values[i]) well = terms.breaches(*values[i]) ? 0 : well + 1;
    if (!values[i] && terms.missing == Watch::Missing::kBreaching) well = 0;
    if (well >= terms.periods) return false;
  }
  if (periods == 0) return std::nullopt;
  // The last period is mostly the job's end, and not whole.
  const std::size_t whole = periods > after + 1 ? periods - 1 : periods;
  const AlarmLight light = evaluate_alarm(terms, std::span(values).first(whole), AlarmLight::kOk);
  if (light != AlarmLight::kAlarm) return std::nullopt;
  const std::size_t newest = whole - std::min(whole, terms.periods);
  return terms.missing != Watch::Missing::kBreaching || witnessed(watch, *found, newest, whole)
             ? std::optional(true)
             : std::nullopt;
}

}  // namespace trainwarden::rules
