// What happened within a day to other jobs on the same machine types, which shows whether spot
// capacity is available at all. Counted from Search's records, which are Describe's answers with
// some members missing.
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
  // The job under decision, which does not count itself.
  FleetCount(std::string_view name, const TrainingJob& job, sys_seconds now);

  // The machine types of the job under decision.
  const std::set<std::string, std::less<>>& types() const { return types_; }

  // Counts one job of the fleet; jobs with none of the types are ignored.
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
  int capacity_errors_ = 0;     // jobs that failed because no machine was available
};

}  // namespace trainwarden::rules
