#include "handlers/rules/alarms/confirmation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;

using Comparison = Watch::Comparison;

// Hosts and values that a text shows; the rest is counted.
constexpr std::size_t kShownHosts = 3;
constexpr std::size_t kShownValues = 5;

bool less_is_breach(const Watch& watch) {
  return watch.comparison == Comparison::kAtMost || watch.comparison == Comparison::kBelow;
}

// Whether a period's value can leave the breach while its data arrive.
bool may_outgrow_breach(const Watch& watch) {
  return (watch.statistic == "Sum" || watch.statistic == "SampleCount") && less_is_breach(watch);
}

bool silence_breaches(const Watch& watch) {
  return watch.missing == Watch::Missing::kBreaching &&
         (watch.hosts != Watch::Hosts::kMean || watch.source == Watch::Source::kAlgorithm);
}

// Rounded to a hundredth: for people.
std::string short_number(double value) {
  constexpr double kHundred = 100;
  constexpr double kExact = 1e13;
  if (std::abs(value) < kExact) value = std::round(value * kHundred) / kHundred;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value + 0.0).ptr;
  return {text.data(), end};
}

// A period that shows a job's whole life in a few hundred datapoints, and that CloudWatch still has
// for data of that age.
std::int64_t coarse_period(seconds age) {
  constexpr std::array<std::int64_t, 4> kPeriods = {60, 300, 3600, 21'600};
  constexpr std::int64_t kDatapoints = 170;
  const auto* const fits = std::ranges::find_if(
      kPeriods, [&](std::int64_t period) { return age.count() <= period * kDatapoints; });
  constexpr std::int64_t kDay = 86'400;
  return fits == kPeriods.end() ? kDay : *fits;
}

std::string list(const std::vector<std::string>& items, std::size_t all) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : "; ") + item;
  if (all > items.size()) out += fmt::format("; and {} more", all - items.size());
  return out;
}

}  // namespace

// What one host's series says.
struct Confirmation::HostView {
  bool silent = false;  // no datapoint at all
  bool breach = false;
  std::string why_no_breach = {};   // where it does not breach
  std::vector<double> values = {};  // that were counted, newest first
  std::int64_t missing = 0;         // periods that breach by silence
};

std::string query_id(std::int64_t host) { return fmt::format("h{}", host); }

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
  auto hosts = alarm_hosts(watch, job);
  if (!hosts) return std::unexpected(std::move(hosts).error());
  out.hosts_ = *hosts;
  out.born_ = std::min(job.created.value_or(out.segment_), out.segment_);
  out.last_minute_ = floor<minutes>(now);
  out.end_ = out.last_minute_;
  if (silence_breaches(watch) || may_outgrow_breach(watch)) out.end_ -= kArrival;
  const std::int64_t fit = (out.end_ - out.segment_).count() / watch.period_seconds;
  out.slots_ = std::min(fit, watch.periods + (silence_breaches(watch) ? 0 : kLookBack));
  if (out.slots_ < watch.datapoints)
    return std::unexpected(Reason{.why = Why::kSegmentTooYoung,
                                  .number = std::max<std::int64_t>(0, out.slots_),
                                  .limit = watch.datapoints,
                                  .seconds = static_cast<double>(watch.period_seconds),
                                  .at = out.segment_});
  return out;
}

MetricRequest Confirmation::request(std::span<const std::int64_t> hosts, std::string_view statistic,
                                    std::int64_t period, sys_seconds begin) const {
  const bool of_host = watch_.source == Watch::Source::kInstance;
  json::Document queries = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    for (const std::int64_t host : hosts) {
      sink.begin_object().member("Id", query_id(host)).key("MetricStat").begin_object();
      sink.key("Metric").begin_object().member("Namespace", kTrainingMetrics);
      sink.member("MetricName", watch_.metric).key("Dimensions").begin_array().begin_object();
      sink.member("Name", of_host ? "Host" : "TrainingJobName");
      sink.member("Value", of_host ? host_name(job_, host) : job_);
      sink.end_object().end_array().end_object();
      sink.member("Period", period).member("Stat", statistic).end_object();
      sink.member("ReturnData", true).end_object();
    }
    sink.end_array();
  });
  return {std::move(queries), begin, last_minute_, {hosts.begin(), hosts.end()}};
}

std::vector<MetricRequest> Confirmation::requests() const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(hosts_.count));
  std::iota(all.begin(), all.end(), 1);
  const std::span<const std::int64_t> rest = all;
  const sys_seconds begin = end_ - seconds(slots_ * watch_.period_seconds);
  std::vector<MetricRequest> out;
  for (std::size_t i = 0; i < rest.size(); i += kQueriesPerCall)
    out.push_back(request(rest.subspan(i, std::min<std::size_t>(kQueriesPerCall, rest.size() - i)),
                          watch_.statistic, watch_.period_seconds, begin));
  return out;
}

std::vector<MetricRequest> Confirmation::history_requests(
    std::span<const std::int64_t> silent) const {
  const sys_seconds begin = floor<minutes>(born_);
  std::vector<MetricRequest> out;
  for (std::size_t i = 0; i < silent.size(); i += kQueriesPerCall)
    out.push_back(
        request(silent.subspan(i, std::min<std::size_t>(kQueriesPerCall, silent.size() - i)),
                "SampleCount", coarse_period(last_minute_ - begin), begin));
  return out;
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

std::string Confirmation::threshold() const {
  static constexpr std::array<std::string_view, 4> kWords = {"at most", "below", "at least",
                                                             "above"};
  return fmt::format("{} {}", kWords[static_cast<std::size_t>(watch_.comparison)],
                     short_number(hosts_.threshold));
}

// Datapoints alone count; newest first.
Confirmation::HostView Confirmation::newest_datapoints(const std::vector<Datapoint>& within) const {
  HostView out;
  const std::size_t counted = std::min(within.size(), static_cast<std::size_t>(watch_.periods));
  const std::span<const Datapoint> series = std::span(within).first(counted);
  const seconds period(watch_.period_seconds);
  if (end_ - (series.front().time + period) > period + kArrival) {
    out.why_no_breach = fmt::format("its newest datapoint is of {}", rfc3339(series.front().time));
    return out;
  }
  std::int64_t breaching = 0;
  for (const Datapoint& datapoint : series) {
    out.values.push_back(datapoint.value);
    if (breaches(datapoint.value)) ++breaching;
  }
  out.breach = breaching >= watch_.datapoints;
  if (!out.breach)
    out.why_no_breach = fmt::format("{} datapoints breach, {} must", breaching, watch_.datapoints);
  return out;
}

// Every period of the window counts, one without a datapoint as a breach.
Confirmation::HostView Confirmation::every_period(const std::vector<Datapoint>& within) const {
  HostView out;
  std::vector<bool> filled(static_cast<std::size_t>(slots_));
  std::int64_t breaching = 0;
  for (const Datapoint& datapoint : within) {
    const auto age = (end_ - datapoint.time).count() / watch_.period_seconds - 1;
    if (age >= slots_) continue;
    filled[static_cast<std::size_t>(age)] = true;
    out.values.push_back(datapoint.value);
    if (breaches(datapoint.value)) ++breaching;
  }
  out.missing = std::ranges::count(filled, false);
  out.breach = breaching + out.missing >= watch_.datapoints;
  if (!out.breach)
    out.why_no_breach = fmt::format("{} periods breach, {} of them without a datapoint, {} must",
                                    breaching + out.missing, out.missing, watch_.datapoints);
  return out;
}

Confirmation::HostView Confirmation::view(const std::vector<Datapoint>& series) const {
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
    out.why_no_breach = fmt::format("it no longer breaches: {} at {}", short_number(alive->value),
                                    rfc3339(alive->time));
  else if (silence_breaches(watch_))
    out = every_period(within);
  else if (within.empty())
    out.why_no_breach = "it has no datapoints";
  else
    out = newest_datapoints(within);
  out.silent = within.empty() && since.empty();
  return out;
}

std::string Confirmation::told(std::int64_t host, const HostView& view) const {
  std::string out =
      watch_.source == Watch::Source::kInstance ? fmt::format("algo-{}", host) : watch_.metric;
  if (!view.why_no_breach.empty()) out += ": " + view.why_no_breach;
  const std::size_t shown = std::min(kShownValues, view.values.size());
  for (std::size_t i = 0; i < shown; ++i) {
    out += i > 0 ? ", " : view.why_no_breach.empty() ? ": " : " (";
    out += short_number(view.values[i]);
  }
  if (view.values.size() > shown) out += ", …";
  if (shown > 0 && !view.why_no_breach.empty()) out += ")";
  if (view.breach && view.missing > 0)
    out +=
        fmt::format("{} {} periods without a datapoint", shown > 0 ? ", and" : ":", view.missing);
  return out;
}

// In how many periods no host does otherwise than breach; those without a datapoint of any count
// where silence breaches.
std::int64_t Confirmation::periods_together(const HostData& data) const {
  struct Slot {
    bool filled = false;
    bool spoiled = false;
  };
  std::vector<Slot> slots(static_cast<std::size_t>(slots_));  // newest first
  for (const std::vector<Datapoint>& series : data)
    for (const Datapoint& datapoint : series) {
      const auto age = (end_ - datapoint.time).count() / watch_.period_seconds - 1;
      if (datapoint.time < segment_ || age < 0 || age >= slots_) continue;
      Slot& slot = slots[static_cast<std::size_t>(age)];
      slot.filled = true;
      slot.spoiled = slot.spoiled || !breaches(datapoint.value);
    }
  std::int64_t counted = 0;
  std::int64_t together = 0;
  for (const Slot& slot : slots) {
    if (!slot.filled && !silence_breaches(watch_)) continue;
    if (++counted > watch_.periods) break;
    if (!slot.spoiled) ++together;
  }
  return together;
}

// Silence may mean that there never was such a metric: then it is no evidence by itself. Only where
// the outcome may turn on it.
bool Confirmation::history_matters(bool silence_breaches) const {
  if (watch_.source == Watch::Source::kAlgorithm) return silence_breaches;
  return hosts_.heterogeneous && (silence_breaches || watch_.hosts != Watch::Hosts::kAny);
}

std::string Confirmation::asked() const {
  return fmt::format("{} {} of {} {} in {} of {} periods of {} s", watch_.statistic, watch_.metric,
                     job_, threshold(), watch_.datapoints, watch_.periods, watch_.period_seconds);
}

Judgement Confirmation::judge(const HostData& data, const HostData* history) const {
  if (watch_.hosts == Watch::Hosts::kMean && watch_.source == Watch::Source::kInstance)
    return judge_mean(data, history);
  std::vector<std::string> breaching;  // shown
  std::vector<std::string> others;     // shown
  std::size_t breach_count = 0;
  std::size_t other_count = 0;
  std::vector<std::int64_t> silent;  // whose history matters
  bool rests_on_silence = false;
  static const std::vector<Datapoint> kNothing;
  for (std::int64_t host = 1; host <= hosts_.count; ++host) {
    const auto index = static_cast<std::size_t>(host - 1);
    const HostView seen = view(index < data.size() ? data[index] : kNothing);
    if (seen.silent && history_matters(seen.breach)) {
      if (history == nullptr) {
        silent.push_back(host);
        continue;
      }
      if (index >= history->size() || (*history)[index].empty()) continue;
    }
    rests_on_silence = rests_on_silence || (seen.breach && seen.missing > 0);
    auto& texts = seen.breach ? breaching : others;
    ++(seen.breach ? breach_count : other_count);
    if (texts.size() < kShownHosts) texts.push_back(told(host, seen));
  }
  const bool any = watch_.hosts == Watch::Hosts::kAny;
  const std::string rule = asked();
  const auto judged = [&](Judgement::Kind kind, const std::string& what) {
    return Judgement{kind, fmt::format("{}: {}", rule, what), {}, rests_on_silence};
  };
  if (any && breach_count > 0)
    return judged(Judgement::Kind::kConfirmed, list(breaching, breach_count));
  if (!any && other_count > 0) return judged(Judgement::Kind::kRefuted, list(others, other_count));
  if (const auto together = periods_together(data); !any && together < watch_.datapoints)
    return judged(Judgement::Kind::kRefuted,
                  fmt::format("the hosts breach together in {} periods, {} must", together,
                              watch_.datapoints));
  if (!silent.empty()) return {Judgement::Kind::kAskHistory, {}, std::move(silent), false};
  if (breach_count > 0) return judged(Judgement::Kind::kConfirmed, list(breaching, breach_count));
  if (other_count > 0) return judged(Judgement::Kind::kRefuted, list(others, other_count));
  return judged(Judgement::Kind::kRefuted, "the job never had a datapoint of it");
}

std::expected<const Watch*, Reason> watch_of(const AlarmEvent& alarm, const Policy& policy) {
  if (alarm.state != "ALARM")
    return std::unexpected(Reason{.why = Why::kAlarmState, .name = alarm.state});
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
