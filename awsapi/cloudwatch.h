// The CloudWatch calls in use: alarms and the data they look at.
// Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/client.h"

namespace trainwarden::aws {

// One series of GetMetricData, oldest datapoint first.
struct MetricSeries {
  struct Datapoint {
    sys_seconds time;  // of the period's begin
    double value;
  };
  std::string id;
  std::vector<Datapoint> datapoints;
};

struct AlarmQuery {
  std::string name_prefix;
  std::optional<std::string> state;  // OK, ALARM or INSUFFICIENT_DATA
};

class CloudWatch {
 public:
  explicit CloudWatch(Client& client) : client_(client) {}

  // body: a whole PutMetricAlarm request. It overwrites the alarm, but not its state.
  // name: the alarm's, for records.
  Result<void> put_metric_alarm(std::string body, const CallContext& context,
                                std::string_view name = {}) const;
  // Any number of names, 100 a call. Names that do not exist are no error.
  Result<void> delete_alarms(std::span<const std::string> names, const CallContext& context) const;
  // each(alarm) gets every metric alarm of every page, as DescribeAlarms has it; it returns false
  // to stop.
  Result<void> describe_alarms(const AlarmQuery& query,
                               const std::function<Result<bool>(json::Value alarm)>& each,
                               const CallContext& context) const;
  // The same, for a walk beside others (page_walk.h).
  static Pages alarm_pages(AlarmQuery asked, std::function<Result<bool>(json::Value alarm)> each);
  // The state holds until the next evaluation. reason: at most 1,023 characters, cut here.
  Result<void> set_alarm_state(std::string_view alarm, std::string_view state,
                               std::string_view reason, const CallContext& context) const;
  // queries: MetricDataQueries, a JSON array. All pages, series merged by id. kBadResponse where
  // CloudWatch says that a series is not whole (PartialData, InternalError, Forbidden): data that
  // could not be fetched are not absent.
  Result<std::vector<MetricSeries>> get_metric_data(json::Value queries, sys_seconds begin,
                                                    sys_seconds end,
                                                    const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
