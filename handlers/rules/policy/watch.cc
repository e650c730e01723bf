#include "handlers/rules/policy/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/policy/watch_review.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 2> kSources = {"instance", "algorithm"};
constexpr std::array<std::string_view, 4> kMissing = {"notBreaching", "breaching", "ignore",
                                                      "missing"};
constexpr std::array<std::string_view, 5> kStatistics = {"Average", "Minimum", "Maximum", "Sum",
                                                         "SampleCount"};

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kWeek = 604'800;
constexpr std::int64_t kLongestMetric = 255;
// Beyond it, CloudWatch takes no value:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html
constexpr double kLargestValue = 0x1p360;

using Kind = MemberForm::Kind;

constexpr std::string_view kDropTo = "drop_to";

constexpr std::array<MemberForm, 17> kMembers = {{
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
    {.name = kDropTo, .kind = Kind::kDrop},
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

// In the order of Watch::Comparison, and what stands in their place last.
constexpr auto kComparisons = [] {
  std::array<std::string_view,
             std::ranges::count(kMembers, Kind::kThreshold, &MemberForm::kind) + 1>
      out;
  std::size_t count = 0;
  for (const MemberForm& member : kMembers)
    if (member.kind == Kind::kThreshold) out[count++] = member.name;
  out[count] = kDropTo;
  return out;
}();

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

// That share of what the job did in its first hours (W6).
void read_drop(json::Value definition, Reader& reader, Watch& out) {
  const auto share = reader.number(definition, kDropTo);
  if (!share) return;
  out.comparison = Watch::Comparison::kBelow;
  out.threshold = std::numeric_limits<double>::quiet_NaN();
  out.drop_to = share;
  if (*share > 0 && *share < 1) return;
  JsonPath::Step step(reader.where, kDropTo);
  reader.diagnostics.error(
      reader.where,
      fmt::format("expected a share above 0 and below 1, such as 0.6, found `{}`", *share));
}

void read_threshold(json::Value definition, Reader& reader, Watch& out) {
  int given = 0;
  for (std::size_t i = 0; i < kComparisons.size(); ++i) {
    if (!definition.find(kComparisons[i])) continue;
    ++given;
    if (kComparisons[i] == kDropTo) {
      read_drop(definition, reader, out);
      continue;
    }
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

}  // namespace

// As the schema has it.
bool is_percentile(std::string_view statistic) {
  std::string_view text = statistic;
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
  review_watch(definition, kComparisons[static_cast<std::size_t>(out.comparison)], reader, out);
  return out;
}

}  // namespace trainwarden::rules
