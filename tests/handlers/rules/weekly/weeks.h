// Jobs as Search tells of them, for tests of the weekly report.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/weekly/week_totals.h"

namespace trainwarden::rules::weeks {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

inline constexpr sys_seconds kUntil{seconds(1'795'417'200)};  // Monday, 2026-11-23T07:00:00Z

struct Ran {
  std::string name = "job";
  std::string status = "Completed";
  std::string team = {};  // JSON of the list's one tag; empty: no tags
  seconds ended_before = hours(24);
  seconds trained = hours(10);
  std::string type = "ml.g5.xlarge";
  int machines = 1;
  std::string more = {};  // members, each after a comma
};

inline std::string tagged(const std::string& team, const std::string& key = "team") {
  return fmt::format(R"({{"Key":"{}","Value":"{}"}})", key, team);
}

inline void add(WeekTotals& totals, const Ran& job) {
  const sys_seconds end = kUntil - job.ended_before;
  const sys_seconds start = end - job.trained;
  const bool runs = job.status == "InProgress" || job.status == "Stopping";
  const auto parsed = json::Document::parse(fmt::format(
      R"({{"TrainingJobName":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}",)"
      R"("CreationTime":{},"TrainingStartTime":{}{}{},)"
      R"("ResourceConfig":{{"InstanceType":"{}","InstanceCount":{}}},"Tags":[{}]}})",
      job.name, job.status, runs ? "Training" : job.status, job.name,
      epoch_seconds(start - minutes(5)), epoch_seconds(start),
      runs ? ""
           : fmt::format(R"(,"TrainingEndTime":{0},"LastModifiedTime":{0})", epoch_seconds(end)),
      job.more, job.type, job.machines, job.team));
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto search = sources_of_search(read_training_job(parsed->root()));
  ASSERT_TRUE(search);
  totals.add(*search);
}

// 2 USD an hour; and with a spot_factor of 0.4.
inline const Prices kPrices{{"ml.g5.xlarge", 2.0}, {"ml.p5.48xlarge", Price(50, 0.4)}};

template <class... Jobs>
WeekReport week(const Jobs&... jobs) {
  WeekTotals totals(kPrices, kUntil);
  (add(totals, jobs), ...);
  return totals.take();
}

}  // namespace trainwarden::rules::weeks
