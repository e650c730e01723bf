// The sweep (policy.md S1): what events missed. On a schedule it looks again at alarms in ALARM
// that led to nothing, deletes alarms whose job has ended, and goes over all running jobs and those
// that ended lately as if their events came now. It stops before its deadline and says how far it
// came; what it did not reach, the next one begins with as likely as with anything else.
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
  std::size_t foreign = 0;   // of those: made by another stack, as it seems
  std::size_t in_alarm = 0;  // jobs and watches
  std::size_t orphans = 0;   // jobs whose alarms were deleted because they had ended
  std::size_t put = 0;       // alarms
  std::size_t left = 0;      // alarms that there was no time for, or that CloudWatch throttled
  std::size_t running = 0;   // jobs that Search told of
  std::size_t ended = 0;     // the same, within the window
  std::size_t to_look_at =
      0;  // alarms in ALARM, jobs with alarms that seem to have ended, nominees
  std::size_t looked_at = 0;
  std::size_t failed = 0;     // jobs that are left to the next sweep because a call failed
  std::size_t would_act = 0;  // jobs that would be stopped, or copied out of turn
  std::size_t measured = 0;   // those of them for which a measurement speaks (W4)
  std::size_t due = 0;        // items in which something was due: owed copies and notices
  std::int64_t limit = 0;     // limits.stops_per_sweep
  // Jobs that would be stopped because of what describes them alone: more than the limit allows,
  // and none was (P7).
  std::size_t held_back = 0;
  std::vector<std::string> examples = {};  // some of them, the costliest first
  std::size_t queued = 0;  // jobs that have ended, and whose copies were decided on before
  // Other jobs that have ended and would be copied: more than the limit allows, and none was.
  std::size_t held_copies = 0;
  std::vector<std::string> copy_examples = {};  // some of them, the first to end first
  std::vector<std::string> errors = {};         // the first few
  bool incomplete = false;                 // time ran out, or a census could not be taken whole
  std::optional<Error> census_error = {};  // a call without which nobody knows what there is
  // The state table could not be read or written for the sweep itself. Its jobs' records tell of
  // themselves.
  bool state_unavailable = false;
  std::vector<CallTally> calls = {};
  std::size_t throttled = 0;  // calls that list alarms and jobs
  std::string policy_hash = {};

  // What must make the invocation fail: too many stops or copies (P7), or a census that could not
  // be taken. Single jobs are left to the next sweep (F1).
  std::optional<Error> failure() const;
  json::Document to_json() const;
};

struct SweepHooks {
  std::function<double()> random;                       // from [0, 1)
  std::function<void(const Record& record)> on_record;  // of each job that was looked at
  aws::Pace* pace = nullptr;                            // at which all calls are made
};

SweepReport sweep(const ActivePolicy& rules, const Apis& apis, const SweepHooks& hooks);

}  // namespace trainwarden::actions
