// Amazon CloudWatch: metric alarms, and the metrics that they and GetMetricData look at.
//
// An alarm is evaluated at once when it or data for it was put, and then at each full minute; so a
// state that SetAlarmState set holds until then. Only a change of state acts: the actions that are
// SNS topics get the alarm's message. Changes of the configuration never change the state.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tests/localaws/cloudwatch/alarm.h"
#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class CloudWatch final : public Service {
 public:
  struct Notice {
    std::string_view action;  // the ARN
    std::string subject;
    std::string message;
  };
  using Listener = std::function<void(const Notice&, sys_millis)>;

  CloudWatch(Home home, Listener acts);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;

  // Evaluates all alarms, once a minute.
  void advance(sys_millis now);
  void clear();
  // All of them, as DescribeAlarms has them.
  std::string alarms_json() const;
  std::size_t size() const { return alarms_.size(); }
  const std::map<std::string, Alarm, std::less<>>& alarms() const { return alarms_; }

 private:
  Answer<std::string> put_alarm(json::Value input, sys_millis now);
  Answer<std::string> delete_alarms(json::Value input);
  Answer<std::string> describe_alarms(json::Value input) const;
  Answer<std::string> set_state(json::Value input, sys_millis now);
  Answer<std::string> put_data(json::Value input, sys_millis now);

  void evaluate(Alarm& alarm, sys_millis now);
  void enter(Alarm& alarm, AlarmState state, std::string reason, std::string data, sys_millis now);

  Home home_;
  Listener acts_;
  std::map<std::string, Alarm, std::less<>> alarms_;
  MetricStore metrics_;
  sys_millis next_round_{};  // when all are evaluated
};

// metric_data.cc
Answer<std::string> get_metric_data(json::Value input, const MetricStore& store, sys_millis now);
// Samples of a valid MetricDatum, or what is wrong with it. where: "MetricData.member.1".
Answer<std::vector<Sample>> samples_from(json::Value datum, std::string_view where);

}  // namespace trainwarden::localaws
