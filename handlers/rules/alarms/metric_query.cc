#include "handlers/rules/alarms/metric_query.h"

#include "handlers/rules/alarms/alarm_hosts.h"

namespace trainwarden::rules {

void ask_metric(json::Sink& sink, const std::string& id, const MetricOfJob& metric,
                std::int64_t period, std::string_view statistic) {
  sink.begin_object().member("Id", id).key("MetricStat").begin_object();
  sink.key("Metric").begin_object().member("Namespace", kTrainingMetrics);
  sink.member("MetricName", metric.name).key("Dimensions").begin_array().begin_object();
  sink.member("Name", metric.dimension).member("Value", metric.value);
  sink.end_object().end_array().end_object();
  sink.member("Period", period).member("Stat", statistic).end_object();
  sink.member("ReturnData", true).end_object();
}

}  // namespace trainwarden::rules
