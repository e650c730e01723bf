#include "handlers/rules/alarms/alarm_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/described_alarm.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/job/instances.h"

namespace trainwarden::rules {
namespace {

// CloudWatch takes 3 such calls a second, and an invocation has minutes.
constexpr std::int64_t kMostAlarms = 100;

std::string_view comparison_operator(Watch::Comparison comparison) {
  switch (comparison) {
    case Watch::Comparison::kAtMost:
      return "LessThanOrEqualToThreshold";
    case Watch::Comparison::kBelow:
      return "LessThanThreshold";
    case Watch::Comparison::kAtLeast:
      return "GreaterThanOrEqualToThreshold";
    case Watch::Comparison::kAbove:
      break;
  }
  return "GreaterThanThreshold";
}

std::string_view words(Watch::Comparison comparison) {
  switch (comparison) {
    case Watch::Comparison::kAtMost:
      return "at most";
    case Watch::Comparison::kBelow:
      return "below";
    case Watch::Comparison::kAtLeast:
      return "at least";
    case Watch::Comparison::kAbove:
      break;
  }
  return "above";
}

std::string_view treat_missing_data(Watch::Missing missing) {
  switch (missing) {
    case Watch::Missing::kNotBreaching:
      return "notBreaching";
    case Watch::Missing::kBreaching:
      return "breaching";
    case Watch::Missing::kIgnore:
      return "ignore";
    case Watch::Missing::kMissing:
      break;
  }
  return "missing";
}

// Every host is low where the highest is; one is where the lowest is.
std::string_view aggregate(const Watch& watch) {
  if (watch.hosts == Watch::Hosts::kMean) return "AVG";
  return less_is_breach(watch) == (watch.hosts == Watch::Hosts::kEvery) ? "MAX" : "MIN";
}

std::string_view of_hosts(const Watch& watch) {
  if (watch.source == Watch::Source::kAlgorithm) return "";
  if (watch.hosts == Watch::Hosts::kFirst) return " of host algo-1";
  if (watch.hosts == Watch::Hosts::kMean) return " as the mean of all hosts";
  return watch.hosts == Watch::Hosts::kEvery ? " of every host" : " of any host";
}

// The same for every job, also of a watch whose threshold is not.
std::string limit_text(const Watch& watch) {
  return watch.drop_to ? fmt::format("{} of {}", *watch.drop_to, kPastMedian)
                       : fmt::format("{}", watch.threshold);
}

std::string_view label(std::string_view function) {
  if (function == "AVG") return "mean of the hosts";
  return function == "MAX" ? "highest host" : "lowest host";
}

std::string_view for_each_part(const Watch& watch) {
  if (watch.source == Watch::Source::kAlgorithm) return "";
  return watch.per_gpu ? " per GPU" : watch.per_core ? " per vCPU" : "";
}

// The hosts from first to last, of all that the watch looks at.
struct AlarmPart {
  std::int64_t first;
  std::int64_t last;
  int number;  // 0: there is but one part
  bool calls;
  std::int64_t datapoints;  // that must breach
};

class Request {
 public:
  Request(const Watch& watch, std::string_view job, double threshold, std::string_view topic,
          std::string_view prefix)
      : watch_(watch), job_(job), threshold_(threshold), topic_(topic), prefix_(prefix) {}

  PlannedAlarm of(const AlarmPart& part) const {
    AlarmName name{std::string(job_), watch_.name, part.number, std::string(prefix_)};
    PlannedAlarm out{name.str(), {}, needs_past(watch_)};
    json::Writer body;
    body.begin_object()
        .member("AlarmName", out.name)
        .member("AlarmDescription", description())
        .key("AlarmActions")
        .begin_array();
    if (part.calls) body.string(topic_);
    body.end_array();
    if (part.first == part.last)
      write_metric(body, part.first);
    else
      write_math(body, part);
    body.member("EvaluationPeriods", watch_.periods).member("DatapointsToAlarm", part.datapoints);
    if (!out.waits_for_past) body.member("Threshold", threshold_);
    body.member("ComparisonOperator", comparison_operator(watch_.comparison))
        .member("TreatMissingData", treat_missing_data(watch_.missing))
        .end_object();
    out.body = body.take();
    return out;
  }

 private:
  std::string description() const {
    return fmt::format(
        "Watch {} of training job {}: {} ({}){} {} {}{} in {} of {} periods of {} s. {}{}",
        watch_.name, job_, watch_.metric, watch_.statistic, of_hosts(watch_),
        words(watch_.comparison), limit_text(watch_), for_each_part(watch_), watch_.datapoints,
        watch_.periods, watch_.period_seconds, kMadeByUsSentence, kMadeByUs);
  }

  void write_dimensions(json::Sink& sink, std::int64_t host) const {
    const bool algorithm = watch_.source == Watch::Source::kAlgorithm;
    sink.key("Dimensions")
        .begin_array()
        .begin_object()
        .member("Name", algorithm ? "TrainingJobName" : "Host")
        .member("Value", algorithm ? std::string(job_) : host_name(job_, host))
        .end_object()
        .end_array();
  }

  void write_metric(json::Sink& sink, std::int64_t host) const {
    sink.member("Namespace", kTrainingMetrics).member("MetricName", watch_.metric);
    write_dimensions(sink, host);
    sink.member("Period", watch_.period_seconds)
        .member(is_percentile(watch_.statistic) ? "ExtendedStatistic" : "Statistic",
                watch_.statistic);
  }

  void write_math(json::Sink& sink, const AlarmPart& part) const {
    std::string ids;
    for (std::int64_t id = 1; id <= part.last - part.first + 1; ++id)
      ids += fmt::format("{}m{}", id == 1 ? "" : ",", id);
    const std::string_view function = aggregate(watch_);
    sink.key("Metrics").begin_array();
    sink.begin_object()
        .member("Id", "e1")
        .member("Expression", fmt::format("{}([{}])", function, ids))
        .member("Label", label(function))
        .member("ReturnData", true)
        .end_object();
    for (std::int64_t host = part.first; host <= part.last; ++host) {
      sink.begin_object()
          .member("Id", fmt::format("m{}", host - part.first + 1))
          .key("MetricStat")
          .begin_object()
          .key("Metric")
          .begin_object()
          .member("Namespace", kTrainingMetrics)
          .member("MetricName", watch_.metric);
      write_dimensions(sink, host);
      sink.end_object()
          .member("Period", watch_.period_seconds)
          .member("Stat", watch_.statistic)
          .end_object()
          .member("ReturnData", false)
          .end_object();
    }
    sink.end_array();
  }

  const Watch& watch_;
  std::string_view job_;
  double threshold_;  // of one host
  std::string_view topic_;
  std::string_view prefix_;
};

std::optional<Reason> counted_as_one(const Watch& watch, const TrainingJob& job) {
  if (watch.per_core && watch.source == Watch::Source::kInstance)
    for (const Instances& some : job.instances)
      if (some.count > 0 && !vcpus_per_instance(some.type))
        return Reason{.why = Why::kUnknownCores, .name = std::string(some.type)};
  if (!watch.per_gpu) return std::nullopt;
  for (const Instances& some : job.instances)
    if (!gpus_per_instance(some.type))
      return Reason{.why = Why::kUnknownGpus, .name = std::string(some.type)};
  return std::nullopt;
}

AlarmPlan nothing(Reason why) { return {.alarms = {}, .none = std::move(why)}; }

}  // namespace

std::vector<int> unplanned_parts(std::size_t alarms) {
  if (alarms == 0) return {0, 1};
  if (alarms == 1) return {1};
  return {0, static_cast<int>(alarms) + 1};
}

AlarmPlan plan_alarms(const Watch& watch, std::string_view name, const TrainingJob& job,
                      std::string_view topic, std::string_view prefix) {
  if (watch.source == Watch::Source::kAlgorithm && !defines_metric(job, watch.metric))
    return nothing({.why = Why::kMetricNotDefined, .name = watch.metric});
  const auto hosts = alarm_hosts(watch, job);
  if (!hosts) return nothing(hosts.error());
  const std::int64_t parts = (hosts->count + kHostsPerAlarm - 1) / kHostsPerAlarm;
  if (parts > kMostAlarms)
    return nothing({.why = Why::kTooManyMachines,
                    .number = hosts->count,
                    .limit = kMostAlarms * kHostsPerAlarm});
  const Request request(watch, name, hosts->threshold, topic, prefix);
  AlarmPlan plan{.alarms = {}, .counted_as_one = counted_as_one(watch, job)};
  // Where the mean of all breaches in so many periods, some part's does in its share of them.
  const bool shared = watch.hosts == Watch::Hosts::kMean;
  const std::int64_t datapoints =
      shared ? (watch.datapoints + parts - 1) / parts : watch.datapoints;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t first = i * kHostsPerAlarm + 1;
    // Where the machines differ, the first ten may all be without the metric.
    const bool calls = i == 0 || watch.hosts != Watch::Hosts::kEvery || hosts->heterogeneous;
    plan.alarms.push_back(
        request.of({first, std::min(hosts->count, first + kHostsPerAlarm - 1),
                    parts == 1 ? 0 : static_cast<int>(i + 1), calls, datapoints}));
  }
  return plan;
}

}  // namespace trainwarden::rules
