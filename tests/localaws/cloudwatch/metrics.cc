#include "tests/localaws/cloudwatch/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::array<std::string_view, 5> kStatistics = {"SampleCount", "Average", "Sum", "Minimum",
                                                         "Maximum"};

// The NN of "pNN", in 0…100.
std::optional<double> percentile_of(std::string_view statistic) {
  if (statistic.size() < 2 || statistic.front() != 'p') return std::nullopt;
  double percent = 0;
  const char* const last = statistic.data() + statistic.size();
  const auto [end, error] = std::from_chars(statistic.data() + 1, last, percent);
  if (error != std::errc() || end != last || !(percent >= 0 && percent <= 100)) return std::nullopt;
  return percent;
}

using Samples = std::vector<const Sample*>;

// Between the two values beside the rank, in proportion.
double percentile(const Samples& samples, double percent) {
  std::vector<std::pair<double, double>> weighted;
  double total = 0;
  for (const Sample* sample : samples) {
    weighted.emplace_back(sample->value, sample->count);
    total += sample->count;
  }
  std::sort(weighted.begin(), weighted.end());
  const auto at = [&](double rank) {
    double seen = 0;
    for (const auto& [value, count] : weighted) {
      seen += count;
      if (rank < seen) return value;
    }
    return weighted.back().first;
  };
  const double rank = percent / 100 * (total - 1);
  const double low = at(std::floor(rank));
  return low + (at(std::ceil(rank)) - low) * (rank - std::floor(rank));
}

// Of a set only its ends are known, and AWS has no percentiles of negative values.
bool has_percentiles(const Samples& samples) {
  return std::all_of(samples.begin(), samples.end(), [](const Sample* sample) {
    return sample->minimum >= 0 && (sample->count == 1 || sample->minimum == sample->maximum);
  });
}

std::optional<double> compute_statistic(std::string_view statistic, const Samples& samples) {
  if (const auto percent = percentile_of(statistic))
    return has_percentiles(samples) ? std::optional(percentile(samples, *percent)) : std::nullopt;
  double count = 0;
  double sum = 0;
  double minimum = samples.front()->minimum;
  double maximum = samples.front()->maximum;
  for (const Sample* sample : samples) {
    count += sample->count;
    sum += sample->sum;
    minimum = std::min(minimum, sample->minimum);
    maximum = std::max(maximum, sample->maximum);
  }
  if (statistic == "SampleCount") return count;
  if (statistic == "Sum") return sum;
  if (statistic == "Minimum") return minimum;
  if (statistic == "Maximum") return maximum;
  return count == 0 ? 0 : sum / count;
}

}  // namespace

MetricKey metric_key(Value metric) {
  MetricKey out{std::string(input::text(metric, "Namespace")),
                std::string(input::text(metric, "MetricName")),
                {}};
  if (const auto dimensions = metric.find_present("Dimensions"))
    for (const Value dimension : dimensions->elements())
      out.dimensions.emplace_back(input::text(dimension, "Name"), input::text(dimension, "Value"));
  std::sort(out.dimensions.begin(), out.dimensions.end());
  return out;
}

bool known_statistic(std::string_view statistic) {
  return percentile_of(statistic) ||
         std::find(kStatistics.begin(), kStatistics.end(), statistic) != kStatistics.end();
}

void MetricStore::add(const MetricKey& key, sys_millis at, Sample sample) {
  samples_[key].emplace(at, std::move(sample));
}

std::vector<MetricKey> MetricStore::keys() const {
  std::vector<MetricKey> out;
  for (const auto& [key, samples] : samples_) out.push_back(key);
  return out;
}

Series MetricStore::series(const MetricKey& key, std::string_view statistic, std::string_view unit,
                           const Span& span) const {
  Series out;
  const auto found = samples_.find(key);
  if (found == samples_.end()) return out;
  std::map<sys_millis, Samples> buckets;
  const auto last = found->second.lower_bound(span.end);
  for (auto at = found->second.lower_bound(span.begin); at != last; ++at)
    if (unit.empty() || at->second.unit == unit)
      buckets[span.begin + (at->first - span.begin) / span.period * span.period].push_back(
          &at->second);
  for (const auto& [begin, samples] : buckets)
    if (const auto value = compute_statistic(statistic, samples)) out[begin] = *value;
  return out;
}

}  // namespace trainwarden::localaws
