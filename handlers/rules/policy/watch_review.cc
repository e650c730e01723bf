#include "handlers/rules/policy/watch_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace trainwarden::rules {
namespace {

// What a watch that compares with the job's own past cannot have (W6): the past is one series of
// the job's, read in the watch's own periods for as long as CloudWatch keeps such of five minutes,
// and silence is no drop.
void review_drop(Reader& reader, const Watch& watch) {
  constexpr std::int64_t kFiveMinutes = 300;
  constexpr std::int64_t kAnHour = 3600;
  const auto wrong = [&](std::string_view member, const std::string& text) {
    JsonPath::Step step(reader.where, member);
    reader.diagnostics.error(reader.where, text);
  };
  if (watch.source != Watch::Source::kAlgorithm)
    wrong("source",
          "`drop_to` compares a metric that the job prints with its own past: expected "
          "`algorithm`, found `instance`");
  if (watch.per_gpu || watch.per_core)
    wrong(watch.per_gpu ? "per_gpu" : "per_core",
          "`drop_to` is a share of what the job itself did: expected none of per_gpu, per_core");
  if (watch.hosts != Watch::Hosts::kEvery)
    wrong("hosts", fmt::format("`drop_to` has one metric a job, which has no hosts: expected none, "
                               "found `{}`",
                               kHosts[static_cast<std::size_t>(watch.hosts)]));
  if (watch.missing == Watch::Missing::kBreaching)
    wrong("missing",
          "silence is no drop: expected `notBreaching`, `ignore` or `missing` beside `drop_to`, "
          "found `breaching`; `\"statistic\": \"SampleCount\", \"below\": 1` watches silence");
  if (watch.period_seconds > 0 &&
      (watch.period_seconds % kFiveMinutes != 0 || watch.period_seconds > kAnHour))
    wrong(
        "period_seconds",
        fmt::format("expected a multiple of {} up to {} beside `drop_to`, of which six hours have "
                    "enough and CloudWatch keeps the first to the job's end, found `{}`",
                    kFiveMinutes, kAnHour, watch.period_seconds));
}

// Members that have no effect beside certain others.
void review_members(json::Value definition, Reader& reader, const Watch& watch) {
  const bool gpu_metric = is_of_gpus(watch);
  const bool relative = watch.drop_to.has_value();  // review_drop() has said what is wrong there
  if (!relative && watch.per_gpu && (watch.source == Watch::Source::kAlgorithm || !gpu_metric)) {
    JsonPath::Step step(reader.where, "per_gpu");
    reader.diagnostics.warning(reader.where,
                               "divides by the GPUs of a machine, and the metric is not of GPUs");
  }
  if (!relative && watch.per_core &&
      (watch.source == Watch::Source::kAlgorithm || watch.metric != "CPUUtilization")) {
    JsonPath::Step step(reader.where, "per_core");
    reader.diagnostics.warning(reader.where,
                               "divides by the vCPUs of a machine, and the metric is not of CPUs");
  }
  if (watch.per_core && watch.per_gpu)
    reader.diagnostics.error(reader.where, "expected one of per_gpu, per_core, found several");
  if (relative && watch.hosts != Watch::Hosts::kEvery) return;
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
  return watch.source == Watch::Source::kInstance && !adds_up(watch) &&
         std::ranges::find(kInstanceMetrics, watch.metric) != kInstanceMetrics.end();
}

// A threshold that was meant for one GPU or core and stands for all of a machine, or that no value
// reaches.
void review_threshold(std::string_view threshold, Reader& reader, const Watch& watch) {
  constexpr double kIdle = 10;  // as good as nothing on all of them together, too
  constexpr int kMany = 8;
  if (!of_use(watch)) return;
  const bool of_gpus = is_of_gpus(watch);
  const bool is_sum = of_gpus || watch.metric == "CPUUtilization";
  const bool divided = of_gpus ? watch.per_gpu : watch.per_core;
  const std::string_view each = of_gpus ? "GPU" : "vCPU";
  const std::string_view flag = of_gpus ? "per_gpu" : "per_core";
  JsonPath::Step step(reader.where, threshold);
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
  constexpr std::int64_t kLongestOfMinutes = 86'400;
  const std::int64_t shortest = window > kLongestOfMinutes ? 3600 : 60;
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

void review_watch(json::Value definition, std::string_view threshold, Reader& reader,
                  const Watch& watch) {
  if (watch.drop_to) review_drop(reader, watch);
  review_members(definition, reader, watch);
  review_silence(reader, watch);
  review_threshold(threshold, reader, watch);
  review_arrival(reader, watch);
}

}  // namespace trainwarden::rules
