#include "tests/localaws/cloudwatch/cloudwatch_shapes.h"

#include "tests/localaws/service/patterns.h"

namespace trainwarden::localaws {
namespace {

Shape name_shape() { return text(1, 255); }
Shape metric_namespace() { return text(1, 255, patterns::kNamespace); }
Shape state() { return choice({"OK", "ALARM", "INSUFFICIENT_DATA"}); }
Shape actions() { return list(text(1, 1024), {}, 5); }

Shape unit_shape() {
  return choice({"Seconds",
                 "Microseconds",
                 "Milliseconds",
                 "Bytes",
                 "Kilobytes",
                 "Megabytes",
                 "Gigabytes",
                 "Terabytes",
                 "Bits",
                 "Kilobits",
                 "Megabits",
                 "Gigabits",
                 "Terabits",
                 "Percent",
                 "Count",
                 "Bytes/Second",
                 "Kilobytes/Second",
                 "Megabytes/Second",
                 "Gigabytes/Second",
                 "Terabytes/Second",
                 "Bits/Second",
                 "Kilobits/Second",
                 "Megabits/Second",
                 "Gigabits/Second",
                 "Terabits/Second",
                 "Count/Second",
                 "None"});
}

Shape dimensions() {
  return list(object({required("Name", text(1, 255)), required("Value", text(1, 1024))}), {}, 30);
}

Shape queries() {
  const Shape metric =
      object({optional("Namespace", metric_namespace()), optional("MetricName", name_shape()),
              optional("Dimensions", dimensions())});
  const Shape stat = object({required("Metric", metric), required("Period", integer(1, {})),
                             required("Stat", text()), optional("Unit", unit_shape())});
  return list(object({required("Id", name_shape()), optional("MetricStat", stat),
                      optional("Expression", text(1, 2048)), optional("Label", text()),
                      optional("ReturnData", boolean()), optional("Period", integer(1, {})),
                      optional("AccountId", name_shape())}),
              {}, {});
}

Shape put_metric_alarm() {
  const Shape promql =
      object({required("Query", text(1, 10'000)), optional("PendingPeriod", integer(0, 86'400)),
              optional("RecoveryPeriod", integer(0, 86'400))});
  const Shape tag = object({required("Key", text(1, 128)), required("Value", text(0, 256))});
  return object(
      {required("AlarmName", name_shape()),
       optional("AlarmDescription", text(0, 1024)),
       optional("ActionsEnabled", boolean()),
       optional("OKActions", actions()),
       optional("AlarmActions", actions()),
       optional("InsufficientDataActions", actions()),
       optional("MetricName", name_shape()),
       optional("Namespace", metric_namespace()),
       optional("Statistic", choice({"SampleCount", "Average", "Sum", "Minimum", "Maximum"})),
       optional("ExtendedStatistic", text()),
       optional("Dimensions", dimensions()),
       optional("Period", integer(1, {})),
       optional("Unit", unit_shape()),
       optional("EvaluationPeriods", integer(1, {})),
       optional("DatapointsToAlarm", integer(1, {})),
       optional("Threshold", number()),
       optional(
           "ComparisonOperator",
           choice({"GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold",
                   "LessThanOrEqualToThreshold", "LessThanLowerOrGreaterThanUpperThreshold",
                   "LessThanLowerThreshold", "GreaterThanUpperThreshold"})),
       optional("TreatMissingData", name_shape()),
       optional("EvaluateLowSampleCountPercentile", name_shape()),
       optional("Metrics", queries()),
       optional("Tags", list(tag, {}, {})),
       optional("ThresholdMetricId", name_shape()),
       optional("EvaluationCriteria", object({optional("PromQLCriteria", promql)})),
       optional("EvaluationInterval", integer(10, 3600))});
}

Shape data() {
  const Shape statistics = object({required("SampleCount", number()), required("Sum", number()),
                                   required("Minimum", number()), required("Maximum", number())});
  return list(
      object({required("MetricName", name_shape()), optional("Dimensions", dimensions()),
              optional("Timestamp", time()), optional("Value", number()),
              optional("StatisticValues", statistics), optional("Values", list(number(), {}, {})),
              optional("Counts", list(number(), {}, {})), optional("Unit", unit_shape()),
              optional("StorageResolution", integer(1, {}))}),
      {}, {});
}

}  // namespace

Shapes cloudwatch_inputs() {
  return {
      {"PutMetricAlarm", put_metric_alarm()},
      {"DeleteAlarms", object({required("AlarmNames", list(name_shape(), {}, 100))})},
      {"DescribeAlarms",
       object({optional("AlarmNames", list(name_shape(), {}, 100)),
               optional("AlarmNamePrefix", name_shape()),
               optional("AlarmTypes", list(choice({"CompositeAlarm", "MetricAlarm"}), {}, {})),
               optional("ChildrenOfAlarmName", name_shape()),
               optional("ParentsOfAlarmName", name_shape()), optional("StateValue", state()),
               optional("ActionPrefix", text(1, 1024)), optional("MaxRecords", integer(1, 100)),
               optional("NextToken", text())})},
      {"SetAlarmState",
       object({required("AlarmName", name_shape()), required("StateValue", state()),
               required("StateReason", text(0, 1023)),
               optional("StateReasonData", text(0, 4000))})},
      {"GetMetricData",
       object({required("MetricDataQueries", queries()), required("StartTime", time()),
               required("EndTime", time()), optional("NextToken", text()),
               optional("ScanBy", choice({"TimestampDescending", "TimestampAscending"})),
               optional("MaxDatapoints", integer()),
               optional("LabelOptions", object({optional("Timezone", text())}))})},
      {"ListMetrics",
       object({optional("Namespace", metric_namespace()), optional("MetricName", name_shape()),
               optional("Dimensions", list(object({required("Name", text(1, 255)),
                                                   optional("Value", text(1, 1024))}),
                                           {}, 10)),
               optional("NextToken", text()), optional("RecentlyActive", choice({"PT3H"})),
               optional("IncludeLinkedAccounts", boolean()),
               optional("OwningAccount", name_shape())})},
      {"GetMetricStatistics",
       object(
           {required("Namespace", metric_namespace()), required("MetricName", name_shape()),
            optional("Dimensions", dimensions()), required("StartTime", time()),
            required("EndTime", time()), required("Period", integer(1, {})),
            optional("Statistics",
                     list(choice({"SampleCount", "Average", "Sum", "Minimum", "Maximum"}), 1, 5)),
            optional("ExtendedStatistics", list(text(), 1, 10)), optional("Unit", unit_shape())})},
      {"PutMetricData",
       object({required("Namespace", metric_namespace()), optional("MetricData", data()),
               optional("StrictEntityValidation", boolean())})},
  };
}

}  // namespace trainwarden::localaws
