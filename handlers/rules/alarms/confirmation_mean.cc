// The mean of all hosts, period by period (policy.md W1, W4).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "handlers/rules/alarms/confirmation.h"

namespace trainwarden::rules {
namespace {

struct PeriodOfHosts {
  double sum = 0;
  std::int64_t hosts = 0;  // that have a datapoint
};
using PeriodsOfHosts = std::map<sys_seconds, PeriodOfHosts, std::greater<>>;  // newest first

// What the hosts said since the segment began.
struct Heard {
  PeriodsOfHosts periods;
  std::vector<std::int64_t> silent;  // hosts, from 1
};

Heard hear(const HostData& data, std::int64_t hosts, sys_seconds segment) {
  Heard out;
  for (std::int64_t host = 1; host <= hosts; ++host) {
    const auto index = static_cast<std::size_t>(host - 1);
    bool heard = false;
    if (index < data.size())
      for (const Datapoint& datapoint : data[index]) {
        if (datapoint.time < segment) continue;
        heard = true;
        PeriodOfHosts& period = out.periods[datapoint.time];
        period.sum += datapoint.value;
        ++period.hosts;
      }
    if (!heard) out.silent.push_back(host);
  }
  return out;
}

struct Window {
  std::int64_t hosts = 0;    // that have a part in the mean
  bool low = false;          // whether less is a breach
  std::int64_t periods = 0;  // that count
  std::chrono::seconds period;
  sys_seconds end;
};

struct Means {
  std::vector<double> values;  // of the periods that count, the newest first
  std::int64_t breaching = 0;
  std::optional<sys_seconds> newest;  // begin of the first of them
  // A later one that does not breach.
  std::optional<std::pair<sys_seconds, double>> over;
};

// Values are never negative, so that what is missing can only make a mean higher. Of a low one that
// leaves open whether it breaches; a high one that breaches without it does so with it.
template <class Breaches>
Means means_of(const PeriodsOfHosts& periods, const Window& window, const Breaches& breaches) {
  Means out;
  for (const auto& [time, of_hosts] : periods) {
    const double mean = of_hosts.sum / static_cast<double>(window.hosts);
    const bool whole = of_hosts.hosts >= window.hosts;
    const bool breach = breaches(mean);
    if (window.low && breach && !whole) continue;
    if (time + window.period > window.end) {
      // Under way, or later than the window: it can only tell that the breach is over.
      if (!breach && (window.low || whole) && !out.over) out.over = {time, mean};
      continue;
    }
    if (std::ssize(out.values) == window.periods) break;
    if (!out.newest) out.newest = time;
    out.values.push_back(mean);
    if (breach) ++out.breaching;
  }
  return out;
}

}  // namespace

Judgement Confirmation::judge_mean(const HostData& data, const HostData* history) const {
  using Kind = MeanMeasured::Kind;
  const auto refuted = [this](MeanMeasured found) {
    return judged(Judgement::Kind::kRefuted, std::move(found));
  };
  Heard heard = hear(data, hosts_.count, segment_);
  if (heard.periods.empty()) return refuted({.kind = Kind::kNoDatapoints});
  Window window{.hosts = hosts_.count,
                .low = less_is_breach(watch_),
                .periods = watch_.periods,
                .period = std::chrono::seconds(watch_.period_seconds),
                .end = end_};
  // Of different machines, those that never had the metric have no part in the mean.
  if (hosts_.heterogeneous && !heard.silent.empty()) {
    if (history == nullptr)
      return {.kind = Judgement::Kind::kAskHistory, .silent = std::move(heard.silent)};
    window.hosts -=
        static_cast<std::int64_t>(std::erase_if(heard.silent, [history](std::int64_t host) {
          const auto index = static_cast<std::size_t>(host - 1);
          return index >= history->size() || (*history)[index].empty();
        }));
  }
  if (window.low && !heard.silent.empty())
    return refuted({.kind = Kind::kHostSilent,
                    .host = heard.silent.front(),
                    .others = heard.silent.size() > 1});
  Means means = means_of(heard.periods, window, [this](double value) { return breaches(value); });
  if (means.over)
    return refuted({.kind = Kind::kNoLonger,
                    .hosts = window.hosts,
                    .value = means.over->second,
                    .at = means.over->first});
  if (!means.newest) return refuted({.kind = Kind::kNoPeriod, .hosts = window.hosts});
  if (end_ - (*means.newest + window.period) > window.period + kArrival)
    return refuted({.kind = Kind::kNotRecent, .hosts = window.hosts, .at = *means.newest});
  MeanMeasured found{.kind = Kind::kTooFewPeriods,
                     .hosts = window.hosts,
                     .values = std::move(means.values),
                     .breaching = means.breaching};
  if (means.breaching < watch_.datapoints) return refuted(std::move(found));
  found.kind = Kind::kBreaches;
  return judged(Judgement::Kind::kConfirmed, std::move(found));
}

}  // namespace trainwarden::rules
