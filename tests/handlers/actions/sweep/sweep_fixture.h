// A sweep over the jobs and alarms that a test has placed.
#pragma once

#include <string>
#include <vector>

#include "handlers/actions/sweep/sweep.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions {

inline constexpr const char* kTeam = R"(
  {"name": "required-tags",
   "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}},
   "actions": ["stop"]})";
inline constexpr const char* kTellFailed = R"(
  {"name": "tell", "match": {"job": {"TrainingJobStatus": ["Failed"]}}, "actions": ["notify"]})";
inline const Tags kOrderly = {{"team", "vision"}};
using Names = std::vector<std::string>;

class SweepTest : public ActionTest {
 protected:
  SweepTest() { left_ = seconds(300); }

  static rules::Policy limited(const std::string& rules, int stops_per_sweep) {
    return policy(rules, "enforce",
                  fmt::format(R"("limits":{{"stops_per_sweep":{}}},)", stops_per_sweep));
  }

  SweepReport run(const rules::Policy& with, double random = 0) {
    records_.clear();
    calls_.clear();
    const aws::CallContext context{clock_.in(left_), "", &calls_};
    const Apis apis(client_, clock_, context, config_, powers_, request_);
    const ActivePolicy rules{with, ceiling_};
    return sweep(rules, apis,
                 {[random] { return random; },
                  [&](const Record& record) {
                    testing::transcribe("record", json::to_text(record.to_json().root()));
                    records_.push_back(record);
                  },
                  pace_});
  }
  SweepReport run(const std::string& rules) { return run(policy(rules)); }

  void place(const std::string& job, const Tags& tags = {}) {
    aws_.place({.name = job, .tags = tags});
  }
  void place_ended(const std::string& job, const std::string& status, seconds since,
                   const std::string& more = "", const Tags& tags = kOrderly) {
    aws_.place({.name = job,
                .status = status,
                .secondary = status,
                .age = since + hours(2),
                .since = since,
                .tags = tags,
                .more = more});
  }
  void put_alarm(const std::string& name, const char* state = "OK") {
    ASSERT_TRUE(aws_.call(
        "PutMetricAlarm",
        fmt::format(
            R"({{"AlarmName":"trainwarden/{}","MetricName":"m","Namespace":"n","Statistic":"Maximum",)"
            R"("Period":60,"EvaluationPeriods":1,"Threshold":1,"ComparisonOperator":"LessThanThreshold",)"
            R"("TreatMissingData":"ignore"}})",
            name)));
    ASSERT_TRUE(aws_.call(
        "SetAlarmState",
        fmt::format(R"({{"AlarmName":"trainwarden/{}","StateValue":"{}","StateReason":"r"}})", name,
                    state)));
  }
  Names copied() const {  // the jobs that have copies
    Names out;
    for (const std::string& copy : aws_.created())
      out.push_back(aws_.tag(copy, "trainwarden:parent"));
    return out;
  }
  std::ptrdiff_t stopping() const {
    return std::ranges::count(aws_.events, "Stopping", &testing::EventTold::status);
  }

  std::vector<aws::CallMade> calls_;
  std::vector<Record> records_;
  aws::Pace* pace_ = nullptr;  // none: time stands still while a sweep calls
};

}  // namespace trainwarden::actions
