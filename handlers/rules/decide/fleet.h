// What happened within a day to other jobs on the same machines: whether spot capacity is to be had
// at all today. Counted from the training jobs that Search returns, which are Describe's answers
// with some members missing.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::chrono::hours kFleetWindow{24};

class FleetCount {
 public:
  // The job that asks, which does not count.
  FleetCount(std::string_view name, const TrainingJob& job, sys_seconds now);

  // The machine types of the job that asks.
  const std::set<std::string, std::less<>>& types() const { return types_; }

  // One job of the fleet; those with none of the types are passed over.
  void add(const TrainingJob& job);

  // The members of the group `fleet`, as the document of Source::kFleet.
  json::Document document() const;

 private:
  bool within(const std::optional<sys_seconds>& time) const;

  std::string name_;
  std::set<std::string, std::less<>> types_;
  sys_seconds since_;
  int spot_timeouts_ = 0;       // managed spot jobs that waited longer than MaxWaitTime
  int spot_interruptions_ = 0;  // interruptions, not jobs
  int capacity_errors_ = 0;     // jobs that failed since no machine was to be had
};

}  // namespace trainwarden::rules
