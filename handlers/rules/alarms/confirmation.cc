#include "handlers/rules/alarms/confirmation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "handlers/rules/alarms/job_past.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;

using Comparison = Watch::Comparison;

// Hosts that are told of; the rest is counted.
constexpr std::size_t kShownHosts = 3;
// Beside one metric of the algorithm, in one call.
constexpr std::int64_t kMostMachinesAsked = 200;
constexpr std::int64_t kMostOwnMetrics = 40;

// Whether a period's value can leave the breach while its data arrive.
bool may_outgrow_breach(const Watch& watch) { return adds_up(watch) && less_is_breach(watch); }

}  // namespace

// What one host's series says.
struct Confirmation::HostView {
  HostMeasured measured = {};
  bool silent = false;                   // no datapoint at all
  std::optional<Silence> rests_on = {};  // without which it would not breach
};

// What the hosts come to.
struct Confirmation::Tally {
  HostsMeasured breaching = {};
  HostsMeasured others = {};
  std::vector<std::int64_t> silent = {};  // whose history matters
  std::size_t unwitnessed = 0;
  std::size_t without_first = 0;  // of the others: silent before a first datapoint
  bool rests_on_silence = false;
  sys_seconds silent_from = {};  // of all hosts

  void add(HostMeasured host) {
    HostsMeasured& hosts = host.breaches() ? breaching : others;
    ++hosts.all;
    if (hosts.shown.size() < kShownHosts) hosts.shown.push_back(std::move(host));
  }
};

std::expected<Confirmation, Reason> Confirmation::plan(const Watch& watch, std::string_view name,
                                                       const TrainingJob& job, sys_seconds now) {
  Confirmation out(watch, name);
  auto segment = current_training(job);
  if (!segment) return std::unexpected(std::move(segment).error());
  out.segment_ = *segment;
  const seconds trained = now - out.segment_;
  if (trained < seconds(watch.warmup_seconds))
    return std::unexpected(
        Reason{.why = Why::kWarmUp, .number = watch.warmup_seconds, .at = out.segment_});
  if (needs_past(watch))
    if (auto early = why_no_past_yet(watch, job, now)) return std::unexpected(*std::move(early));
  auto hosts = alarm_hosts(watch, job);
  if (!hosts) return std::unexpected(std::move(hosts).error());
  out.hosts_ = *hosts;
  out.born_ = std::min(job.created.value_or(out.segment_), out.segment_);
  out.last_minute_ = floor<minutes>(now);
  out.end_ = out.last_minute_;
  if (out.silence_counts() || may_outgrow_breach(watch)) out.end_ -= kArrival;
  const std::int64_t fit = (out.end_ - out.segment_).count() / watch.period_seconds;
  out.window_periods_ = std::min(fit, watch.periods + (out.silence_counts() ? 0 : kLookBack));
  if (out.window_periods_ < watch.datapoints)
    return std::unexpected(Reason{.why = Why::kSegmentTooYoung,
                                  .number = std::max<std::int64_t>(0, out.window_periods_),
                                  .limit = watch.datapoints,
                                  .seconds = static_cast<double>(watch.period_seconds),
                                  .at = out.segment_});
  if (out.silence_counts()) out.plan_witnesses(job);
  return out;
}

void Confirmation::plan_witnesses(const TrainingJob& job) {
  trained_before_ =
      std::ranges::count(*job.transitions, SecondaryStatus::kTraining, &Transition::status) > 1;
  machines_ = hosts_.count;
  if (watch_.source == Watch::Source::kInstance) return;
  Watch any_machine;
  any_machine.metric = "CPUUtilization";
  const auto machines = alarm_hosts(any_machine, job);
  machines_ = machines ? std::min(machines->count, kMostMachinesAsked) : 0;
  for (const MetricDefinition& definition : metric_definitions(job))
    if (definition.name == watch_.metric)
      literal_ = literal_of(definition.expression);
    else if (!definition.name.empty() && std::ssize(own_metrics_) < kMostOwnMetrics)
      own_metrics_.emplace_back(definition.name);
  final_value_ = final_metric_time(job, watch_.metric);
}

bool Confirmation::breaches(double value) const {
  switch (watch_.comparison) {
    case Comparison::kAtMost:
      return value <= hosts_.threshold;
    case Comparison::kBelow:
      return value < hosts_.threshold;
    case Comparison::kAtLeast:
      return value >= hosts_.threshold;
    case Comparison::kAbove:
      return value > hosts_.threshold;
  }
  return false;
}

// Datapoints alone count; newest first.
Confirmation::HostView Confirmation::newest_datapoints(const std::vector<Datapoint>& within) const {
  HostView out;
  const std::size_t counted = std::min(within.size(), static_cast<std::size_t>(watch_.periods));
  const std::span<const Datapoint> series = std::span(within).first(counted);
  const seconds period(watch_.period_seconds);
  HostMeasured& measured = out.measured;
  if (end_ - (series.front().time + period) > period + kArrival) {
    measured.kind = HostMeasured::Kind::kNotRecent;
    measured.at = series.front().time;
    return out;
  }
  for (const Datapoint& datapoint : series) {
    measured.values.push_back(datapoint.value);
    if (breaches(datapoint.value)) ++measured.breaching;
  }
  measured.kind = measured.breaching >= watch_.datapoints ? HostMeasured::Kind::kBreaches
                                                          : HostMeasured::Kind::kTooFewDatapoints;
  return out;
}

// Every period of the window counts, one without a datapoint as a breach.
Confirmation::HostView Confirmation::every_period(const std::vector<Datapoint>& within,
                                                  std::optional<sys_seconds> silent_from) const {
  HostView out;
  HostMeasured& measured = out.measured;
  std::vector<bool> filled(static_cast<std::size_t>(window_periods_));
  for (const Datapoint& datapoint : within) {
    const auto age = (end_ - datapoint.time).count() / watch_.period_seconds - 1;
    if (age >= window_periods_) continue;
    filled[static_cast<std::size_t>(age)] = true;
    measured.values.push_back(datapoint.value);
    if (breaches(datapoint.value)) ++measured.breaching;
  }
  Silence silence{};
  const seconds period(watch_.period_seconds);
  for (std::size_t age = 0; age < filled.size(); ++age) {
    const sys_seconds begin = end_ - period * static_cast<std::int64_t>(age + 1);
    if (filled[age] || !silent_from || begin < *silent_from) continue;
    silence.begin = begin;
    if (measured.missing++ == 0) silence.end = begin + period;
  }
  const bool breach = measured.breaching + measured.missing >= watch_.datapoints;
  measured.kind = breach ? HostMeasured::Kind::kBreaches : HostMeasured::Kind::kTooFewPeriods;
  if (breach && measured.breaching < watch_.datapoints) out.rests_on = silence;
  return out;
}

Confirmation::HostView Confirmation::view(std::size_t host, const std::vector<Datapoint>& series,
                                          std::optional<sys_seconds> silent_from) const {
  // Only what lies wholly in the segment and the window counts: newest first.
  const seconds period(watch_.period_seconds);
  std::vector<Datapoint> within;
  std::vector<Datapoint> since;  // newer than the window
  for (const Datapoint& datapoint : series)
    if (datapoint.time >= segment_)
      (datapoint.time + period <= end_ ? within : since).push_back(datapoint);
  std::ranges::sort(within, std::ranges::greater(), &Datapoint::time);
  HostView out;
  const auto alive = std::ranges::find_if(
      since, [&](const Datapoint& datapoint) { return !breaches(datapoint.value); });
  if (alive != since.end())
    out.measured = {
        .kind = HostMeasured::Kind::kNoLonger, .value = alive->value, .at = alive->time};
  else if (silence_counts())
    out = every_period(within, silent_from);
  else if (!within.empty())
    out = newest_datapoints(within);
  out.measured.host = static_cast<std::int64_t>(host + 1);
  out.silent = within.empty() && since.empty();
  return out;
}

// In how many periods no host does otherwise than breach; those without a datapoint of any count
// where silence breaches.
std::int64_t Confirmation::periods_together(const HostData& data, sys_seconds silent_from) const {
  struct Period {
    bool filled = false;
    bool spoiled = false;
  };
  std::vector<Period> periods(static_cast<std::size_t>(window_periods_));  // newest first
  for (const std::vector<Datapoint>& series : data)
    for (const Datapoint& datapoint : series) {
      const auto age = (end_ - datapoint.time).count() / watch_.period_seconds - 1;
      if (datapoint.time < segment_ || age < 0 || age >= window_periods_) continue;
      Period& period = periods[static_cast<std::size_t>(age)];
      period.filled = true;
      period.spoiled = period.spoiled || !breaches(datapoint.value);
    }
  std::int64_t counted = 0;
  std::int64_t together = 0;
  sys_seconds begin = end_;
  for (const Period& period : periods) {
    begin -= seconds(watch_.period_seconds);
    if (!period.filled && (!silence_counts() || begin < silent_from)) continue;
    if (++counted > watch_.periods) break;
    if (!period.spoiled) ++together;
  }
  return together;
}

// nullopt where the segment has had no datapoint yet, as far as the evidence goes.
std::optional<sys_seconds> Confirmation::silence_from(const Evidence& evidence,
                                                      std::size_t host) const {
  std::optional<sys_seconds> first;
  const auto see = [&](sys_seconds at, seconds later) {
    if (at >= segment_) first = std::min(first.value_or(at + later), at + later);
  };
  if (host < evidence.data.size())
    for (const Datapoint& datapoint : evidence.data[host]) see(datapoint.time, seconds(0));
  if (!evidence.history) return first;
  // Somewhere in a coarse period: its end is safe.
  if (host < evidence.history->size())
    for (const Datapoint& datapoint : (*evidence.history)[host])
      see(datapoint.time, seconds(history_period()));
  if (!first && watch_.first_within_seconds)
    first = segment_ + seconds(*watch_.first_within_seconds);
  return first;
}

bool Confirmation::is_witnessed(const Evidence& evidence, std::size_t host,
                                const Silence& silence) const {
  const Witnesses& witnesses = evidence.witnesses;
  const auto speaks = [&](const std::vector<Datapoint>& series) {
    return covers(series, seconds(witness_period()), silence);
  };
  if (watch_.source == Watch::Source::kInstance)
    return host < witnesses.hosts.size() && speaks(witnesses.hosts[host]);
  if (speaks(witnesses.own) || speaks(witnesses.algorithms)) return true;
  if (evidence.log == LogFinding::kOtherLines) return true;
  return evidence.log == LogFinding::kSilent && !witnesses.hosts.empty() &&
         std::ranges::all_of(witnesses.hosts, speaks);
}

// A host that breaches if all its silence counts.
void Confirmation::weigh_silence(const Evidence& evidence, std::size_t host, Tally& tally) const {
  const std::vector<Datapoint>& series = evidence.data[host];
  const auto silent_from = silence_from(evidence, host);
  HostView seen = view(host, series, silent_from);
  HostMeasured& measured = seen.measured;
  if (!measured.breaches() && !evidence.history) {
    tally.silent.push_back(measured.host);
    return;
  }
  if (!measured.breaches()) {
    const bool ever = host < evidence.history->size() && !(*evidence.history)[host].empty();
    // Of several types of machines, it may be one without that metric.
    if (hosts_.heterogeneous && !ever && seen.silent) return;
    if (!silent_from) {
      ++tally.without_first;
      measured.kind = ever || trained_before_ ? HostMeasured::Kind::kSilentSince
                                              : HostMeasured::Kind::kNeverHeard;
      measured.at = segment_;
    }
  } else if (seen.rests_on && final_value_ && *final_value_ >= seen.rests_on->begin) {
    measured.kind = HostMeasured::Kind::kFinalValue;
    measured.at = *final_value_;
  } else if (seen.rests_on && !is_witnessed(evidence, host, *seen.rests_on)) {
    ++tally.unwitnessed;
    return;
  }
  tally.rests_on_silence = tally.rests_on_silence || seen.rests_on.has_value();
  if (silent_from) tally.silent_from = std::max(tally.silent_from, *silent_from);
  tally.add(std::move(measured));
}

bool Confirmation::nothing_arrives(const Evidence& evidence) const {
  const auto is_empty = [](const std::vector<Datapoint>& series) { return series.empty(); };
  return std::ranges::all_of(evidence.data, is_empty) &&
         std::ranges::all_of(evidence.witnesses.hosts, is_empty) && evidence.witnesses.own.empty();
}

Judgement Confirmation::judge(const Evidence& evidence) const {
  if (watch_.hosts == Watch::Hosts::kMean && watch_.source == Watch::Source::kInstance)
    return judge_mean(evidence.data, evidence.history ? &*evidence.history : nullptr);
  Tally tally{.silent_from = segment_};
  Evidence padded;
  const bool whole = std::ssize(evidence.data) >= hosts_.count;
  if (!whole) {  // a host without an answer has no datapoints
    padded = evidence;
    padded.data.resize(static_cast<std::size_t>(hosts_.count));
  }
  const Evidence& all = whole ? evidence : padded;
  const bool any = watch_.hosts == Watch::Hosts::kAny;
  for (std::size_t host = 0; std::cmp_less(host, hosts_.count); ++host) {
    HostView seen = view(host, all.data[host], segment_);
    if (seen.measured.breaches() && silence_counts()) {
      weigh_silence(all, host, tally);
    } else if (seen.silent && hosts_.heterogeneous && !silence_counts() && !any && !all.history) {
      tally.silent.push_back(seen.measured.host);
    } else if (!seen.silent || !hosts_.heterogeneous || silence_counts() || any ||
               (host < all.history->size() && !(*all.history)[host].empty())) {
      tally.add(std::move(seen.measured));
    }
  }
  const auto confirmed = [&] {
    Judgement out = judged(Judgement::Kind::kConfirmed, std::move(tally.breaching));
    out.rests_on_silence = tally.rests_on_silence;
    return out;
  };
  const auto refuted = [&] {
    if (tally.without_first > 0 && tally.without_first == tally.others.all && nothing_arrives(all))
      return Judgement{.blind = Reason{.why = Why::kNoMetricArrives, .name = watch_.metric}};
    return judged(Judgement::Kind::kRefuted, std::move(tally.others));
  };
  if (any && tally.breaching.all > 0) return confirmed();
  if (!any && tally.others.all > 0) return refuted();
  if (const auto together = periods_together(all.data, tally.silent_from);
      !any && together < watch_.datapoints)
    return judged(Judgement::Kind::kRefuted, PeriodsTogether{together});
  if (!tally.silent.empty())
    return {.kind = Judgement::Kind::kAskHistory, .silent = std::move(tally.silent)};
  if (tally.unwitnessed > 0) {
    if (watch_.source == Watch::Source::kAlgorithm && !all.log)
      return {.kind = Judgement::Kind::kAskLog};
    const Why why = nothing_arrives(all) ? Why::kNoMetricArrives : Why::kNothingWitnesses;
    return {.blind = Reason{.why = why, .name = watch_.metric}};
  }
  if (tally.breaching.all > 0) return confirmed();
  return tally.others.all > 0 ? refuted() : judged(Judgement::Kind::kRefuted, HostsMeasured());
}

std::expected<const Watch*, Reason> watch_of(const AlarmEvent& alarm, const Policy& policy) {
  if (!alarm.calls()) return std::unexpected(Reason{.why = Why::kAlarmState, .name = alarm.state});
  const Watch* const watch = policy.find_watch(alarm.watch);
  if (watch == nullptr) return std::unexpected(Reason{.why = Why::kNoWatch, .name = alarm.watch});
  return watch;
}

std::optional<Reason> why_not_confirmable(const Watch& watch, const TrainingJob& job,
                                          sys_seconds now) {
  const auto planned = Confirmation::plan(watch, {}, job, now);
  return planned ? std::nullopt : std::optional(planned.error());
}

}  // namespace trainwarden::rules
