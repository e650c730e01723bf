// The alarms that running jobs are to have, kept until all that stand are listed: the two lists are
// taken beside each other. About a hundred bytes a job.
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
  // What the watches, which must last, ask for.
  void add(const std::string& job, const rules::TrainingJob& described,
           std::span<const rules::Watch* const> watches, const Apis& apis);
  // The jobs that lack an alarm, or have one more of a watch than it has for them now, in the order
  // in which they were added.
  void each_lacking(const AlarmCensus& census,
                    const std::function<void(const std::string& job)>& visit) const;

 private:
  struct Watched {
    const rules::Watch* watch;
    std::size_t alarms;
    std::size_t asked_for;  // none before the past can be known that they compare with (W6)
  };
  struct Job {
    std::string name;
    std::size_t watches;
  };

  std::deque<Job> jobs_;
  std::deque<Watched> watches_;             // of the first job, of the second, …
  std::deque<std::uint64_t> fingerprints_;  // of the first watch's alarms, of the second's, …
};

}  // namespace trainwarden::actions
