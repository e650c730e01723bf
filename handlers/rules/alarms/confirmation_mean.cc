// The mean of all hosts, period by period (policy.md W1, W4).
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/measured_text.h"

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
  const auto refuted = [this](const std::string& why) {
    return Judgement{Judgement::Kind::kRefuted, fmt::format("{}: {}", asked(), why)};
  };
  Heard heard = hear(data, hosts_.count, segment_);
  if (heard.periods.empty()) return refuted("the hosts have no datapoints");
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
    return refuted(fmt::format("algo-{}: it has no datapoints{}", heard.silent.front(),
                               heard.silent.size() > 1 ? ", nor have others" : ""));
  const Means means =
      means_of(heard.periods, window, [this](double value) { return breaches(value); });
  const std::string mean = fmt::format("the mean of {} hosts", window.hosts);
  if (means.over)
    return refuted(fmt::format("{} no longer breaches: {} at {}", mean,
                               short_number(means.over->second), rfc3339(means.over->first)));
  if (!means.newest) return refuted(mean + " is known of no period");
  if (end_ - (*means.newest + window.period) > window.period + kArrival)
    return refuted(fmt::format("{} is known last of {}", mean, rfc3339(*means.newest)));
  if (means.breaching < watch_.datapoints)
    return refuted(fmt::format("{} breaches in {} periods, {} must ({})", mean, means.breaching,
                               watch_.datapoints, shown_values(means.values)));
  return {Judgement::Kind::kConfirmed,
          fmt::format("{}: {}: {}", asked(), mean, shown_values(means.values, watch_, hosts_))};
}

}  // namespace trainwarden::rules
