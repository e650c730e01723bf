// The alarms that running jobs should have. They are kept until all existing alarms are listed,
// since jobs and alarms are listed at the same time. About a hundred bytes a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>

#include "handlers/actions/sweep/alarm_census.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::actions {

class PlannedAlarms {
 public:
  // Adds the alarms that the watches ask for. The watches must outlive this object.
  void add(const std::string& job, const rules::TrainingJob& described,
           std::span<const rules::Watch* const> watches, const Apis& apis);
  // Visits the jobs that lack an alarm, or have one that their watch no longer plans, in the order
  // in which they were added.
  void each_lacking(const AlarmCensus& census,
                    const std::function<void(const std::string& job)>& visit) const;

 private:
  struct Watched {
    const rules::Watch* watch;
    std::size_t alarms;
    std::size_t asked_for;  // 0 until the job's past can be known (W6)
  };
  struct Job {
    std::string name;
    std::size_t watches;
  };

  std::deque<Job> jobs_;
  std::deque<Watched> watches_;             // those of the first job, then of the second, ...
  std::deque<std::uint64_t> fingerprints_;  // those of the first watch's alarms, then ...
};

}  // namespace trainwarden::actions
