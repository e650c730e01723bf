// The mean of all hosts, period by period (policy.md W1, W4).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "handlers/rules/alarms/confirmation.h"

namespace trainwarden::rules {
namespace {

// What the hosts said of one period.
struct PeriodOfHosts {
  double sum = 0;
  std::int64_t hosts = 0;
};

// Of a period that has a datapoint at all. Values are never negative: what is missing can only make
// the mean higher.
struct MeanOfPeriod {
  double value = 0;
  bool breaches = false;
};

std::string hundredths(double value) {
  constexpr double kHundred = 100;
  return fmt::format("{}", std::round(value * kHundred) / kHundred + 0.0);
}

}  // namespace

Judgement Confirmation::judge_mean(const HostData& data, const HostData* history) const {
  const std::chrono::seconds period(watch_.period_seconds);
  std::map<sys_seconds, PeriodOfHosts, std::greater<>> periods;  // the newest first
  std::vector<std::int64_t> silent;
  for (std::int64_t host = 1; host <= hosts_.count; ++host) {
    const auto index = static_cast<std::size_t>(host - 1);
    bool heard = false;
    if (index < data.size())
      for (const Datapoint& datapoint : data[index])
        if (datapoint.time >= segment_) {
          heard = true;
          PeriodOfHosts& of_hosts = periods[datapoint.time];
          of_hosts.sum += datapoint.value;
          ++of_hosts.hosts;
        }
    if (!heard) silent.push_back(host);
  }
  const auto judged = [&](Judgement::Kind kind, const std::string& what) {
    return Judgement{kind, fmt::format("{}: {}", asked(), what), {}, false};
  };
  if (periods.empty()) return judged(Judgement::Kind::kRefuted, "the hosts have no datapoints");
  // Of different machines, those that never had the metric have no part in the mean.
  std::int64_t count = hosts_.count;
  if (hosts_.heterogeneous && !silent.empty()) {
    if (history == nullptr) return {Judgement::Kind::kAskHistory, {}, std::move(silent), false};
    count -= std::erase_if(silent, [history](std::int64_t host) {
      const auto index = static_cast<std::size_t>(host - 1);
      return index >= history->size() || (*history)[index].empty();
    });
  }
  const bool low = watch_.comparison == Watch::Comparison::kAtMost ||
                   watch_.comparison == Watch::Comparison::kBelow;
  if (low && !silent.empty())
    return judged(Judgement::Kind::kRefuted,
                  fmt::format("algo-{}: it has no datapoints{}", silent.front(),
                              silent.size() > 1 ? ", nor have others" : ""));
  // nullopt: it may breach, but not every host told.
  const auto mean_of = [&](const PeriodOfHosts& of_hosts) -> std::optional<MeanOfPeriod> {
    MeanOfPeriod out;
    out.value = of_hosts.sum / static_cast<double>(count);
    out.breaches = breaches(out.value);
    if (low && out.breaches && of_hosts.hosts < count) return std::nullopt;
    return out;
  };
  std::vector<double> values;  // of the periods that count, the newest first
  std::int64_t breaching = 0;
  std::optional<sys_seconds> newest;
  for (const auto& [time, of_hosts] : periods) {
    const auto mean = mean_of(of_hosts);
    if (time + period > end_) {
      // Under way, or later than the window: it can only tell that the breach is over.
      if (mean && !mean->breaches && (low || of_hosts.hosts == count))
        return judged(
            Judgement::Kind::kRefuted,
            fmt::format("it no longer breaches: {} at {}", hundredths(mean->value), rfc3339(time)));
      continue;
    }
    if (!mean) continue;
    if (std::ssize(values) == watch_.periods) break;
    if (!newest) newest = time;
    values.push_back(mean->value);
    if (mean->breaches) ++breaching;
  }
  std::string shown;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, values.size()); ++i)
    shown += (i > 0 ? ", " : "") + hundredths(values[i]);
  if (values.size() > kShown) shown += ", …";
  const std::string of = fmt::format("the mean of {} hosts", count);
  if (!newest) return judged(Judgement::Kind::kRefuted, of + " is known of no period");
  if (end_ - (*newest + period) > period + kArrival)
    return judged(Judgement::Kind::kRefuted,
                  fmt::format("{} is known last of {}", of, rfc3339(*newest)));
  if (breaching < watch_.datapoints)
    return judged(Judgement::Kind::kRefuted, fmt::format("{} breaches in {} periods, {} must ({})",
                                                         of, breaching, watch_.datapoints, shown));
  return judged(Judgement::Kind::kConfirmed, fmt::format("{}: {}", of, shown));
}

}  // namespace trainwarden::rules
