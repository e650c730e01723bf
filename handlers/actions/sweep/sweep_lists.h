// What a sweep has to look at (policy.md S1): our alarms, the running jobs and those that ended
// lately are listed, CloudWatch's beside SageMaker's, each within its share of the time, so that a
// long list leaves the others theirs. Whatever time cuts off is looked at one by one as far as that
// goes, from a random start.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/sweep/alarm_census.h"
#include "handlers/actions/sweep/job_census.h"

namespace trainwarden::actions {

struct SweepLists {
  SweepLists() = default;
  SweepLists(const SweepLists&) = delete;  // what is of alarms points into it
  SweepLists& operator=(const SweepLists&) = delete;
  ~SweepLists() = default;

  AlarmCensus alarms;
  JobCensus running;
  JobCensus ended;
  std::vector<AlarmCensus::AlarmsOfJob> orphaned;  // of jobs that were not among the running
  // Where the list of running jobs was cut: of jobs that may run, or not.
  std::vector<AlarmCensus::AlarmsOfJob> unseen;
  std::vector<std::string> unwatched;  // running jobs that lack alarms, and nothing else
  // Where the list of alarms was cut: running jobs whose alarms may be missing, and jobs that
  // ended, whose alarms may be left over.
  std::vector<std::string> unlisted;
  std::vector<std::string> due;       // items in which something is due (rules/state)
  bool due_is_cut = false;            // there may be more of them
  std::size_t past = 0;               // of the jobs that ended: those that no rule looks at
  std::vector<std::string> cut = {};  // why lists are not whole
  // A call without which nobody knows what there is; time that ran out is no failure.
  std::optional<Error> failure = {};

  std::size_t to_look_at() const;
};

// random: from [0, 1). Each list's first page is always asked for. After it, none starts once half
// of the remaining time is gone, and all must end by five eighths of it.
void take_lists(SweepLists& lists, const ActivePolicy& rules, const Apis& apis,
                const std::function<double()>& random);

// Whether the job's end is too long ago for rules (S1). Of what does not tell, nobody knows.
bool is_past(const rules::Sources& sources, sys_seconds now);

}  // namespace trainwarden::actions
