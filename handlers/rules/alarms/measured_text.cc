#include "handlers/rules/alarms/measured_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

}  // namespace

std::string_view unit_of(const Watch& watch) {
  const bool is_share = watch.source == Watch::Source::kInstance &&
                        watch.metric.ends_with("Utilization") && watch.statistic != "SampleCount" &&
                        watch.statistic != "Sum";
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

std::string list_of(std::span<const std::string> items, std::size_t all) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : "; ") + item;
  if (all > items.size()) out += fmt::format("; and {} more", all - items.size());
  return out;
}

}  // namespace trainwarden::rules
