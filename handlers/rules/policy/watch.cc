#include "handlers/rules/policy/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "handlers/rules/patterns/nearest.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 2> kSources = {"instance", "algorithm"};
constexpr std::array<std::string_view, 4> kHosts = {"every", "any", "first", "mean"};
constexpr std::array<std::string_view, 4> kMissing = {"notBreaching", "breaching", "ignore",
                                                      "missing"};
constexpr std::array<std::string_view, 5> kStatistics = {"Average", "Minimum", "Maximum", "Sum",
                                                         "SampleCount"};
constexpr std::array<std::string_view, 5> kInstanceMetrics = {"CPUUtilization", "MemoryUtilization",
                                                              "DiskUtilization", "GPUUtilization",
                                                              "GPUMemoryUtilization"};

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kWeek = 604'800;
constexpr std::int64_t kLongestMetric = 255;
// Beyond it, CloudWatch takes no value:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html
constexpr double kLargestValue = 0x1p360;

using Kind = MemberForm::Kind;

constexpr std::array<MemberForm, 16> kMembers = {{
    {.name = "metric",
     .kind = Kind::kText,
     .required = true,
     .least = 1,
     .most = kLongestMetric,
     .choices = kInstanceMetrics},
    {.name = "source", .kind = Kind::kChoice, .choices = kSources, .fallback = 0},
    {.name = "statistic", .kind = Kind::kStatistic, .required = true, .choices = kStatistics},
    {.name = "period_seconds",
     .kind = Kind::kInteger,
     .required = true,
     .least = kMinute,
     .most = kWeek,
     .multiple_of = kMinute},
    {.name = "periods",
     .kind = Kind::kInteger,
     .required = true,
     .least = 1,
     .most = kWeek / kMinute},
    {.name = "datapoints", .kind = Kind::kInteger, .least = 1},  // at most periods
    {.name = "at_most", .kind = Kind::kThreshold},  // in the order of Watch::Comparison
    {.name = "below", .kind = Kind::kThreshold},
    {.name = "at_least", .kind = Kind::kThreshold},
    {.name = "above", .kind = Kind::kThreshold},
    {.name = "per_gpu", .kind = Kind::kBoolean, .fallback = 0},
    {.name = "per_core", .kind = Kind::kBoolean, .fallback = 0},
    {.name = "hosts", .kind = Kind::kChoice, .choices = kHosts, .fallback = 0},
    {.name = "missing",
     .kind = Kind::kChoice,
     .choices = kMissing,
     .fallback = static_cast<std::int64_t>(Watch::Missing::kMissing)},
    {.name = "warmup_seconds", .kind = Kind::kInteger, .most = kWeek, .fallback = kWarmupSeconds},
    {.name = "first_within_seconds", .kind = Kind::kInteger, .least = kMinute, .most = kWeek},
}};
constexpr auto kMemberNames = names_of(kMembers);

// In the order of Watch::Comparison.
constexpr auto kComparisons = [] {
  std::array<std::string_view, std::ranges::count(kMembers, Kind::kThreshold, &MemberForm::kind)>
      out;
  std::size_t count = 0;
  for (const MemberForm& member : kMembers)
    if (member.kind == Kind::kThreshold) out[count++] = member.name;
  return out;
}();

// As the schema has it: p0 … p99 with at most ten digits after the point, or p100.
bool is_percentile(std::string_view text) {
  constexpr std::size_t kMostDecimals = 10;
  const auto digits = [](std::string_view part, std::size_t most) {
    return !part.empty() && part.size() <= most && std::ranges::all_of(part, is_digit);
  };
  if (!text.starts_with('p')) return false;
  text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point < text.size() ? text.substr(point + 1) : "0";
  if (whole == "100")
    return digits(decimals, kMostDecimals - 1) && decimals.find_first_not_of('0') == decimals.npos;
  return digits(whole, 2) && digits(decimals, kMostDecimals);
}

bool is_control(char c) {
  constexpr unsigned char kDelete = 0x7f;
  const auto byte = static_cast<unsigned char>(c);  // char is unsigned on arm64
  return byte < ' ' || byte == kDelete;
}

void read_metric(json::Value definition, Reader& reader, Watch& out) {
  if (!reader.require(definition, required(kMembers, "metric"))) return;
  const auto metric = reader.string(definition, "metric");
  if (!metric) return;
  out.metric = *metric;
  JsonPath::Step step(reader.where, "metric");
  if (metric->empty() || std::ssize(*metric) > kLongestMetric) {
    reader.diagnostics.error(reader.where, fmt::format("expected 1 to {} bytes, found {}",
                                                       kLongestMetric, metric->size()));
  } else if (std::ranges::any_of(*metric, is_control)) {
    reader.diagnostics.error(reader.where, "expected a name without control characters");
  } else if (out.source == Watch::Source::kInstance &&
             std::ranges::find(kInstanceMetrics, *metric) == kInstanceMetrics.end()) {
    reader.diagnostics.warning(reader.where,
                               fmt::format("`{}` is not a known metric of instances{}", *metric,
                                           did_you_mean(*metric, kInstanceMetrics)));
  }
}

void read_statistic(json::Value definition, Reader& reader, Watch& out) {
  const auto given = reader.require(definition, required(kMembers, "statistic"));
  const auto statistic = reader.string(definition, "statistic");
  if (!given || !statistic) return;
  out.statistic = *statistic;
  if (std::ranges::find(kStatistics, *statistic) != kStatistics.end()) return;
  if (is_percentile(*statistic)) return;
  JsonPath::Step step(reader.where, "statistic");
  reader.diagnostics.error(
      reader.where,
      fmt::format("expected {}, or a percentile such as `p90`, found `{}`{}", one_of(kStatistics),
                  *statistic, did_you_mean(*statistic, kStatistics)));
}

void read_periods(json::Value definition, Reader& reader, Watch& out) {
  constexpr const MemberForm& kSeconds = form(kMembers, "period_seconds", Kind::kInteger);
  const bool given = reader.require(definition, required(kMembers, "period_seconds")).has_value();
  const bool counted = reader.require(definition, required(kMembers, "periods")).has_value();
  const auto seconds = reader.integer(definition, kSeconds);
  const auto periods = reader.integer(definition, form(kMembers, "periods", Kind::kInteger));
  if (!given || !counted || !seconds || !periods) return;
  out.period_seconds = *seconds;
  out.periods = *periods;
  constexpr const MemberForm& kDatapoints = form(kMembers, "datapoints", Kind::kInteger);
  out.datapoints =
      reader.integer(definition, kDatapoints.name, kDatapoints.least, *periods).value_or(*periods);
  JsonPath::Step step(reader.where, "period_seconds");
  if (*seconds % kSeconds.multiple_of != 0) {
    reader.diagnostics.error(reader.where, fmt::format("expected a multiple of {}, found `{}`",
                                                       kSeconds.multiple_of, *seconds));
    return;
  }
  const std::int64_t most = *seconds >= kHour ? kWeek : kDay;
  if (*seconds * *periods > most) {
    reader.diagnostics.error(
        reader.where, fmt::format("expected period_seconds × periods of at most {} (CloudWatch "
                                  "looks no further back), found {} × {}",
                                  most, *seconds, *periods));
  }
}

void read_threshold(json::Value definition, Reader& reader, Watch& out) {
  int given = 0;
  for (std::size_t i = 0; i < kComparisons.size(); ++i) {
    if (!definition.find(kComparisons[i])) continue;
    ++given;
    out.comparison = static_cast<Watch::Comparison>(i);
    out.threshold = reader.number(definition, kComparisons[i]).value_or(0);
  }
  if (given != 1) {
    reader.diagnostics.error(reader.where,
                             fmt::format("expected one of {}, found {}", one_of(kComparisons),
                                         given == 0 ? "none" : "several"));
  } else if (std::fabs(out.threshold) > kLargestValue) {
    JsonPath::Step step(reader.where, kComparisons[static_cast<std::size_t>(out.comparison)]);
    reader.diagnostics.error(
        reader.where, fmt::format("expected a value of CloudWatch's, -2^360 to 2^360, found `{}`",
                                  out.threshold));
  }
}

// Members that have no effect beside certain others.
void review(json::Value definition, Reader& reader, const Watch& watch) {
  const bool gpu_metric = watch.metric.starts_with("GPU");
  if (watch.per_gpu && (watch.source == Watch::Source::kAlgorithm || !gpu_metric)) {
    JsonPath::Step step(reader.where, "per_gpu");
    reader.diagnostics.warning(reader.where,
                               "divides by the GPUs of a machine, and the metric is not of GPUs");
  }
  if (watch.per_core &&
      (watch.source == Watch::Source::kAlgorithm || watch.metric != "CPUUtilization")) {
    JsonPath::Step step(reader.where, "per_core");
    reader.diagnostics.warning(reader.where,
                               "divides by the vCPUs of a machine, and the metric is not of CPUs");
  }
  if (watch.per_core && watch.per_gpu)
    reader.diagnostics.error(reader.where, "expected one of per_gpu, per_core, found several");
  if (watch.source == Watch::Source::kAlgorithm && definition.find("hosts")) {
    JsonPath::Step step(reader.where, "hosts");
    reader.diagnostics.warning(reader.where,
                               "says nothing: metrics of the algorithm have no hosts");
  } else if (watch.hosts == Watch::Hosts::kAny && watch.missing == Watch::Missing::kBreaching) {
    JsonPath::Step step(reader.where, "missing");
    reader.diagnostics.warning(
        reader.where,
        "of several hosts, one that falls silent is not noticed while others "
        "have data: CloudWatch's MIN and MAX pass over missing data");
  } else if (watch.hosts == Watch::Hosts::kMean && watch.missing == Watch::Missing::kBreaching) {
    JsonPath::Step step(reader.where, "missing");
    reader.diagnostics.warning(reader.where,
                               "says nothing: what a silent host does is not known, and a mean "
                               "counts datapoints alone; `\"hosts\": \"every\"` watches silence");
  }
}

// SageMaker's metrics of use count 0 to 100 for each GPU, or each vCPU, of a machine, and are their
// sum; those of its memory and disk are 0 to 100 of the whole.
// https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html#cloudwatch-metrics-jobs
constexpr double kWhole = 100;

bool is_high(const Watch& watch) {
  return watch.comparison == Watch::Comparison::kAtLeast ||
         watch.comparison == Watch::Comparison::kAbove;
}

// Whether the values of such a watch are what SageMaker says of a machine: how many they are, and
// what they add up to in a period, is something else.
bool of_use(const Watch& watch) {
  return watch.source == Watch::Source::kInstance && watch.statistic != "SampleCount" &&
         watch.statistic != "Sum" &&
         std::ranges::find(kInstanceMetrics, watch.metric) != kInstanceMetrics.end();
}

// A threshold that was meant for one GPU or core and stands for all of a machine, or that no value
// reaches.
void review_threshold(Reader& reader, const Watch& watch) {
  constexpr double kIdle = 10;  // as good as nothing on all of them together, too
  constexpr int kMany = 8;
  if (!of_use(watch)) return;
  const bool of_gpus = watch.metric.starts_with("GPU");
  const bool is_sum = of_gpus || watch.metric == "CPUUtilization";
  const bool divided = of_gpus ? watch.per_gpu : watch.per_core;
  const std::string_view each = of_gpus ? "GPU" : "vCPU";
  const std::string_view flag = of_gpus ? "per_gpu" : "per_core";
  JsonPath::Step step(reader.where, kComparisons[static_cast<std::size_t>(watch.comparison)]);
  if (is_sum && !divided) {
    const bool meant_for_one = watch.threshold > (is_high(watch) ? 0 : kIdle) &&
                               (!is_high(watch) || watch.threshold <= kWhole);
    if (meant_for_one)
      reader.diagnostics.warning(
          reader.where,
          fmt::format(
              "{} is a sum, 0 to 100 for each {} of a machine: where there are {}, {} of it "
              "is {} for each; `\"{}\": true` makes it {} for each",
              watch.metric, each, kMany, watch.threshold, watch.threshold / kMany, flag,
              watch.threshold));
    return;
  }
  const bool beyond = watch.comparison == Watch::Comparison::kAtMost ||
                              watch.comparison == Watch::Comparison::kAbove
                          ? watch.threshold >= kWhole
                          : watch.threshold > kWhole;
  if (!beyond) return;
  reader.diagnostics.warning(
      reader.where,
      fmt::format("{} is 0 to 100{}{}: {} holds {}", watch.metric, is_sum ? " for each " : "",
                  is_sum ? each : "", watch.threshold, is_high(watch) ? "never" : "always"));
}

// Before CloudWatch fills in what is missing, it takes datapoints that are two periods older than
// those asked for: row `0 - - - -` of
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
std::int64_t noticed_after(std::int64_t period_seconds, std::int64_t datapoints) {
  constexpr std::int64_t kEarlierPeriods = 2;
  return period_seconds * (datapoints + kEarlierPeriods);
}

// What few long periods cost where silence is what breaches.
void review_silence(Reader& reader, const Watch& watch) {
  if (watch.first_within_seconds && watch.missing != Watch::Missing::kBreaching) {
    JsonPath::Step step(reader.where, "first_within_seconds");
    reader.diagnostics.warning(reader.where,
                               "says nothing: silence counts only where `missing` is "
                               "`breaching`");
  }
  constexpr std::int64_t kEnough = 10;  // the two more are a fifth at most
  const std::int64_t window = watch.period_seconds * watch.periods;
  const std::int64_t shortest = window > kDay ? kHour : kMinute;
  const bool read = watch.periods > 0;
  if (!read || watch.missing != Watch::Missing::kBreaching || watch.periods >= kEnough ||
      watch.period_seconds <= shortest)
    return;
  std::string better = "shorter periods notice it sooner";
  if (watch.datapoints == watch.periods)
    better = fmt::format("`\"period_seconds\": {}, \"periods\": {}` notices it after {} s",
                         shortest, window / shortest, noticed_after(shortest, window / shortest));
  JsonPath::Step step(reader.where, "periods");
  reader.diagnostics.warning(
      reader.where,
      fmt::format("silence is noticed after {} s, since CloudWatch looks for datapoints two "
                  "periods further back before it fills in what is missing; {}",
                  noticed_after(watch.period_seconds, watch.datapoints), better));
}

// Metrics of training jobs arrive up to three minutes late, so that the latest of short periods are
// empty when the alarm looks. What CloudWatch then makes of them is `missing`'s.
void review_arrival(Reader& reader, const Watch& watch) {
  constexpr std::int64_t kLate = 180;
  constexpr std::int64_t kEarlierPeriods = 2;  // that an alarm takes datapoints from
  if (watch.periods <= 0 || watch.period_seconds <= 0) return;
  const std::int64_t empty = (kLate + watch.period_seconds - 1) / watch.period_seconds;
  if (watch.missing == Watch::Missing::kBreaching) {
    if (watch.datapoints * watch.period_seconds > kLate) return;
    JsonPath::Step step(reader.where, "periods");
    reader.diagnostics.warning(
        reader.where, fmt::format("metrics arrive up to {} s late, and {} × {} s are over before: "
                                  "what is late passes for silence; let it span 600 s or more",
                                  kLate, watch.datapoints, watch.period_seconds));
    return;
  }
  // Where missing is `missing`, an alarm goes by the datapoints that are there.
  const std::int64_t there = watch.periods + kEarlierPeriods - empty;
  if (watch.missing == Watch::Missing::kMissing || watch.datapoints <= there) return;
  JsonPath::Step step(reader.where, "period_seconds");
  reader.diagnostics.warning(
      reader.where,
      fmt::format("metrics arrive up to {0} s late: the last {1} periods of {2} s are empty then, "
                  "and of {3} that must breach the alarm sees {4} at most; let a period last 300 s",
                  kLate, empty, watch.period_seconds, watch.datapoints,
                  std::max<std::int64_t>(there, 0)));
}

}  // namespace

std::span<const MemberForm> watch_members() { return kMembers; }

bool is_watch_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  return !name.empty() && name.size() <= kLongest && is_lower(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

std::optional<Watch> read_watch(std::string_view name, json::Value definition, Reader& reader) {
  if (!reader.check_object(definition, "a watch")) return std::nullopt;
  reader.check_members(definition, kMemberNames);
  Watch out;
  out.name = name;
  out.source = reader.choice<Watch::Source>(definition, form(kMembers, "source", Kind::kChoice));
  read_metric(definition, reader, out);
  read_statistic(definition, reader, out);
  read_periods(definition, reader, out);
  read_threshold(definition, reader, out);
  out.per_gpu =
      reader.boolean(definition, form(kMembers, "per_gpu", Kind::kBoolean).name).value_or(false);
  out.per_core =
      reader.boolean(definition, form(kMembers, "per_core", Kind::kBoolean).name).value_or(false);
  out.hosts = reader.choice<Watch::Hosts>(definition, form(kMembers, "hosts", Kind::kChoice));
  out.missing = reader.choice<Watch::Missing>(definition, form(kMembers, "missing", Kind::kChoice));
  out.warmup_seconds = reader.integer(definition, form(kMembers, "warmup_seconds", Kind::kInteger))
                           .value_or(out.warmup_seconds);
  out.first_within_seconds =
      reader.integer(definition, form(kMembers, "first_within_seconds", Kind::kInteger));
  review(definition, reader, out);
  review_silence(reader, out);
  review_threshold(reader, out);
  review_arrival(reader, out);
  return out;
}

}  // namespace trainwarden::rules
