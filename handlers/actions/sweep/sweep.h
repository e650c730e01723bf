// The sweep (policy.md S1) makes up for lost events. On a schedule it looks again at alarms in
// ALARM that led to nothing, deletes alarms of jobs that have ended, and handles all running jobs
// and the recently ended ones as if their events had arrived now. It stops before its deadline and
// reports how far it came. Lists begin at a random place or where the last sweep stopped, so that
// no job waits for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/call_tally.h"
#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"

namespace trainwarden::actions {

struct SweepReport {
  std::size_t alarms = 0;    // that are ours
  std::size_t foreign = 0;   // of those: seemingly made by another stack
  std::size_t in_alarm = 0;  // pairs of job and watch
  std::size_t orphans = 0;   // jobs whose alarms were deleted because they had ended
  std::size_t put = 0;       // alarms created
  std::size_t left = 0;      // alarms that there was no time for, or that CloudWatch throttled
  std::size_t running = 0;   // jobs that Search returned
  std::size_t ended = 0;     // the same, within the window
  // Everything in the lists (sweep_lists.h), such as alarms in ALARM and nominated jobs.
  std::size_t to_look_at = 0;
  std::size_t looked_at = 0;
  std::size_t failed = 0;     // jobs left to the next sweep because a call failed
  std::size_t would_act = 0;  // jobs that would be stopped, or copied but not in turn
  std::size_t measured = 0;   // of those: by a measurement (W4)
  std::size_t due = 0;        // items of the table in which something was due
  std::int64_t limit = 0;     // limits.stops_per_sweep
  // Jobs whose stop, because of their description alone, the limit held back (P7).
  std::size_t held_back = 0;
  std::vector<std::string> examples = {};  // some of them, the costliest first
  std::size_t queued = 0;                  // ended jobs whose copies were decided on before
  // Other ended jobs that would be copied. They are more than the limit allows, so none was copied.
  std::size_t held_copies = 0;
  std::vector<std::string> copy_examples = {};  // some of them, in the order of turns
  std::size_t unreached = 0;                    // jobs to act on for which no time was left
  std::size_t cut_lists = 0;                    // lists that time ran out for
  std::size_t too_large = 0;                    // jobs whose records Search could not give
  std::vector<std::string> errors = {};         // the first few
  bool incomplete = false;                      // time ran out, or a list is incomplete
  std::optional<Error> census_error = {};       // a list could not be fetched, not for lack of time
  // The state table could not be read or written for the sweep itself. Failures for single jobs are
  // in their records.
  bool state_unavailable = false;
  std::vector<CallTally> calls = {};
  std::size_t throttled = 0;  // of the calls that list alarms and jobs
  std::string policy_hash = {};

  // The error with which the invocation must fail: stops or copies that were held back (P7), or a
  // list that could not be fetched. A job that failed is left to the next sweep (F1) and is no such
  // error.
  std::optional<Error> failure() const;
  // How much is left to the next sweep because time ran out (SweepLeft, R2): jobs and alarms, and
  // one for each list that was cut, of which nobody knows how much it hides.
  std::size_t work_left() const;
  json::Document to_json() const;
};

struct SweepHooks {
  std::function<double()> random;                       // from [0, 1)
  std::function<void(const Record& record)> on_record;  // of each job that was looked at
  aws::Pace* pace = nullptr;                            // the rate limit of all calls
};

SweepReport sweep(const ActivePolicy& rules, const Apis& apis, const SweepHooks& hooks);

}  // namespace trainwarden::actions
