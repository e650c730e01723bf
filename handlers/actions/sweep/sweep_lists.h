// What a sweep has to look at (policy.md S1): our alarms, the running jobs and those that ended
// recently. CloudWatch's lists are fetched at the same time as SageMaker's, each list within its
// share of the time, so that a long one leaves the others theirs. Jobs whose list was cut short are
// looked at one by one as far as time allows, from a random start.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/sweep/alarm_census.h"
#include "handlers/actions/sweep/job_census.h"
#include "handlers/rules/state/sweep_item.h"

namespace trainwarden::actions {

struct SweepLists {
  SweepLists() = default;
  SweepLists(const SweepLists&) = delete;  // AlarmsOfJob points into it
  SweepLists& operator=(const SweepLists&) = delete;
  ~SweepLists() = default;

  AlarmCensus alarms;
  JobCensus running;
  JobCensus ended;
  std::vector<AlarmCensus::AlarmsOfJob> orphaned;  // of jobs that are not running
  // If the list of running jobs is incomplete: alarms of jobs that may or may not be running.
  std::vector<AlarmCensus::AlarmsOfJob> unseen;
  std::vector<std::string> unwatched;  // running jobs that lack alarms and need nothing else
  // If the list of alarms is incomplete: running jobs whose alarms may be missing, and ended jobs
  // whose alarms may be left over.
  std::vector<std::string> unlisted;
  std::vector<std::string> due;       // ids of items in which something is due (rules/state)
  bool due_is_cut = false;            // there may be more
  std::size_t past = 0;               // of the ended jobs: those too old for any rule
  std::vector<std::string> cut = {};  // why lists are incomplete
  // Why a list could not be fetched. Running out of time is no failure.
  std::optional<Error> failure = {};
  rules::SweepItem remembered = {};  // what the last sweep left; empty if it cannot be read
  // Why that is not known, or could not be written. This cuts no list.
  std::optional<Error> unread = {};

  std::size_t to_look_at() const;
};

// random: from [0, 1). Each list's first page is always asked for. After that, no page of alarms or
// jobs starts once half of the remaining time is gone, and all must end by five eighths of it. The
// list of due items, which comes last, has slightly longer (kForDue).
void take_lists(SweepLists& lists, const ActivePolicy& rules, const Apis& apis,
                const std::function<double()>& random);

// Whether the job ended too long ago for rules (S1), by its last change. False if that is unknown.
bool is_past(const rules::Sources& sources, sys_seconds now);

}  // namespace trainwarden::actions
