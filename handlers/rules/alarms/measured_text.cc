#include "handlers/rules/alarms/measured_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/base/leading_double.h"

namespace trainwarden::rules {
namespace {

// In the order of Watch::Comparison.
std::string_view comparison_text(const Watch& watch) {
  static constexpr std::array<std::string_view, 4> kWords = {"at most", "below", "at least",
                                                             "above"};
  return kWords[static_cast<std::size_t>(watch.comparison)];
}

// What a threshold counts for; empty: for a whole machine.
std::string_view part_of(const Watch& watch) {
  if (watch.source == Watch::Source::kAlgorithm) return {};
  return watch.per_gpu ? "GPU" : (watch.per_core ? "vCPU" : "");
}

// Exact, unless a short number is just as exact: what a policy says is not rounded.
std::string threshold_number(double value) {
  const std::string rounded = short_number(value);
  return leading_double(rounded).value == value ? rounded : fmt::format("{}", value);
}

std::string with_unit(const Watch& watch, std::string number) {
  const std::string_view unit = unit_of(watch);
  return unit.empty() ? number : std::move(number.append(" ").append(unit));
}

// The watch's own threshold, or what has been computed of it.
std::string threshold_with_unit(const Watch& watch, double value) {
  const bool is_written = !watch.drop_to && value == watch.threshold;
  return with_unit(watch, is_written ? threshold_number(value) : short_number(value));
}

std::string why_no_breach(const HostMeasured& host, const Watch& watch) {
  using Kind = HostMeasured::Kind;
  switch (host.kind) {
    case Kind::kBreaches:
      break;
    case Kind::kNoLonger:
      return fmt::format("it no longer breaches: {} at {}", short_number(host.value),
                         rfc3339(host.at));
    case Kind::kNoDatapoints:
      return "it has no datapoints";
    case Kind::kNotRecent:
      return fmt::format("its newest datapoint is of {}", rfc3339(host.at));
    case Kind::kTooFewDatapoints:
      return fmt::format("{} datapoints breach, {} must", host.breaching, watch.datapoints);
    case Kind::kTooFewPeriods:
      return fmt::format("{} periods breach, {} of them without a datapoint, {} must",
                         host.breaching + host.missing, host.missing, watch.datapoints);
    case Kind::kFinalValue:
      return fmt::format("DescribeTrainingJob has a value of {}", rfc3339(host.at));
    case Kind::kSilentSince:
      return fmt::format("it has had no datapoint since Training began at {}", rfc3339(host.at));
    case Kind::kNeverHeard:
      return "the job never had a datapoint of it";
  }
  return {};
}

std::string text_of(const HostMeasured& host, const Measured& of) {
  std::string out = of.watch.source == Watch::Source::kInstance ? fmt::format("algo-{}", host.host)
                                                                : of.watch.metric;
  if (!host.breaches()) out += ": " + why_no_breach(host, of.watch);
  if (!host.values.empty()) {
    if (host.breaches())
      out.append(": ").append(shown_values(host.values, of.watch, of.machines));
    else
      out.append(" (").append(shown_values(host.values)).append(")");
  }
  if (host.breaches() && host.missing > 0)
    out += fmt::format("{} {} periods without a datapoint", host.values.empty() ? ":" : ", and",
                       host.missing);
  return out;
}

std::string text_of(const HostsMeasured& hosts, const Measured& of) {
  if (hosts.all == 0) return "the job never had a datapoint of it";
  std::string out;
  for (const HostMeasured& host : hosts.shown) out += (out.empty() ? "" : "; ") + text_of(host, of);
  if (hosts.all > hosts.shown.size())
    out += fmt::format("; and {} more", hosts.all - hosts.shown.size());
  return out;
}

std::string text_of(const PeriodsTogether& together, const Measured& of) {
  return fmt::format("the hosts breach together in {} periods, {} must", together.periods,
                     of.watch.datapoints);
}

std::string text_of(const MeanMeasured& found, const Measured& of) {
  using Kind = MeanMeasured::Kind;
  const std::string mean = fmt::format("the mean of {} hosts", found.hosts);
  switch (found.kind) {
    case Kind::kBreaches:
      return fmt::format("{}: {}", mean, shown_values(found.values, of.watch, of.machines));
    case Kind::kNoLonger:
      return fmt::format("{} no longer breaches: {} at {}", mean, short_number(found.value),
                         rfc3339(found.at));
    case Kind::kNoDatapoints:
      return "the hosts have no datapoints";
    case Kind::kHostSilent:
      return fmt::format("algo-{}: it has no datapoints{}", found.host,
                         found.others ? ", nor have others" : "");
    case Kind::kNoPeriod:
      return mean + " is known of no period";
    case Kind::kNotRecent:
      return fmt::format("{} is known last of {}", mean, rfc3339(found.at));
    case Kind::kTooFewPeriods:
      return fmt::format("{} breaches in {} periods, {} must ({})", mean, found.breaching,
                         of.watch.datapoints, shown_values(found.values));
  }
  return {};
}

}  // namespace

std::string_view unit_of(const Watch& watch) {
  const bool is_share = watch.source == Watch::Source::kInstance &&
                        watch.metric.ends_with("Utilization") && !adds_up(watch);
  return is_share ? "%" : "";
}

std::string asked_of(const Watch& watch) {
  if (watch.drop_to)
    return fmt::format("{} {} below {} of {}", watch.statistic, watch.metric, *watch.drop_to,
                       kPastMedian);
  const std::string_view part = part_of(watch);
  return fmt::format("{} {} {} {}{}{}", watch.statistic, watch.metric, comparison_text(watch),
                     threshold_with_unit(watch, watch.threshold), part.empty() ? "" : " of each ",
                     part);
}

std::string threshold_text(const Watch& watch, const AlarmHosts& hosts) {
  std::string out =
      fmt::format("{} {}", comparison_text(watch), threshold_with_unit(watch, hosts.threshold));
  if (hosts.parts > 1)
    out += fmt::format(" ({} for each of {} {}s)", threshold_with_unit(watch, watch.threshold),
                       hosts.parts, part_of(watch));
  if (watch.drop_to && watch.median)
    out += fmt::format(" ({} of {}, {})", *watch.drop_to, short_number(*watch.median), kPastMedian);
  return out;
}

std::string short_number(double value) {
  constexpr double kHundred = 100;
  constexpr double kLarge = 1e9;
  const double size = std::abs(value);
  value += 0.0;  // no sign for zero
  if (size < 1) return fmt::format("{:.3g}", value);
  if (size >= kLarge) return fmt::format("{:.6g}", value);
  // std::to_chars would link 128 KB of tables.
  return fmt::format("{}", std::round(value * kHundred) / kHundred);
}

std::string shown_values(std::span<const double> values) {
  constexpr std::size_t kShown = 5;
  std::string out;
  for (const double value : values.first(std::min(kShown, values.size())))
    out += (out.empty() ? "" : ", ") + short_number(value);
  return values.size() > kShown ? out + ", …" : out;
}

std::string shown_values(std::span<const double> values, const Watch& watch,
                         const AlarmHosts& hosts) {
  std::string out = shown_values(values);
  // Of machines that differ, nobody tells which of them a host is.
  if (hosts.parts <= 1 || hosts.heterogeneous) return out;
  std::vector<double> of_each(values.begin(), values.end());
  for (double& value : of_each) value /= hosts.parts;
  return fmt::format("{} ({} per {})", out, shown_values(of_each), part_of(watch));
}

std::string text(const Measured& measured) {
  const Watch& watch = measured.watch;
  return fmt::format(
      "{} {} of {} {} in {} of {} periods of {} s: {}", watch.statistic, watch.metric, measured.job,
      threshold_text(watch, measured.machines), watch.datapoints, watch.periods,
      watch.period_seconds,
      std::visit([&](const auto& found) { return text_of(found, measured); }, measured.found));
}

std::string text(const Measurement& measurement) {
  return std::visit([](const auto& one) { return text(one); }, measurement);
}

}  // namespace trainwarden::rules
