// How a running job is stopped, for good or for a restart. Each step comes after a look that found
// the job running and after the brake (brake.h). The step is written before StopTrainingJob is
// called, and the answer is written afterwards. If the function dies in between, the job's end is
// compared with the times kept here (end_steps.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/observed_job.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// A stop for good whose answer was not recorded counts if the job's Stopping began within this
// time.
inline constexpr std::chrono::minutes kStopExplains{10};
// The error of our estimate of the service's clock: its Date header has whole seconds.
inline constexpr std::chrono::seconds kClockError{2};
// A step begun more recently than this may still be in progress: a stop for good keeps its time,
// and no other restart begins.
inline constexpr std::chrono::minutes kStillUnderWay{5};

// A text for people, cut to kLongestWhy.
std::string shortened(std::string_view why);

// Until when a stop that was denied is not tried again. A policy that was just written may not have
// spread yet, so the first retries come soon, and later ones daily.
sys_seconds refused_until(const RefusedRecord& refused);
// Whether it is too early to try again: asked before the brake.
bool is_refused_now(const JobItem& item, sys_seconds now);

// Whether the job was or is being stopped for good, so that no restart may undo it: the stop was
// accepted, or the job's Stopping began within ten minutes after it was begun, or may yet begin.
bool stop_counts(const JobItem& item, const ObservedJob& job, sys_seconds now);

// That it was denied, with the error, and when it is tried again. why: of the job, or of its tuner.
Reason denial_of(const JobItem& item, Why why);

struct StopOrder {
  std::string rule = {};
  std::string why = {};
};

enum class StopDecision : std::uint8_t {
  kStop,          // call StopTrainingJob
  kRefusedNow,    // it was denied, and it is too early to try again
  kCopyUnderWay,  // the job has ended, and rules decide on its copy
};

Step<JobItem, StopDecision> begin_stop(JobItem item, const StopOrder& order, sys_seconds now);

// After StopTrainingJob's 200. The stop is written down even where another delivery took it out
// meanwhile.
JobItem stop_accepted(JobItem item, const StopOrder& order, sys_seconds now);

// After StopTrainingJob was denied: nobody tries it again before refused_until(). error: the
// service's code.
JobItem stop_refused(JobItem item, std::string_view error, sys_seconds now);

struct RestartOrder {
  std::string rule = {};
  std::string why = {};
  std::optional<bool> spot = {};
  std::vector<std::string> types = {};
  CopySettings settings = {};
};

enum class RestartDecision : std::uint8_t {
  kStop,            // call StopTrainingJob
  kAcceptedBefore,  // its stop was accepted: the copy is made when the job ends
  kAnotherBegun,    // another restart was begun within the last five minutes
  kStoppedForGood,  // or about to be
  kRefusedNow,      // StopTrainingJob was denied, and it is too early to try again
  kCopied,          // the copy is made or being made
  kClosedForGood,   // the pending copy of this job was given up
};

// job: a look that found it running. attempt: a unique id of this attempt, which also differs from
// that of an earlier one with the same request id, which may have died.
Step<JobItem, RestartDecision> begin_restart(JobItem item, const RestartOrder& order,
                                             std::string_view attempt, const ObservedJob& job,
                                             sys_seconds now);

// After StopTrainingJob's 200. Reopens a restart that another delivery closed because its own stop
// was not done.
JobItem restart_accepted(JobItem item, const RestartOrder& order, sys_seconds now);

// After an answer that says the stop was not done (throttled, denied, conflict), or a second look
// that no longer matches. Never after a lost answer, whatever a retry of the call returned: the
// stop may have been done. Closed only if no other attempt may have succeeded.
JobItem restart_not_done(JobItem item, std::string_view attempt, Closed why, sys_seconds now);

// The same where StopTrainingJob was denied: nobody tries it again before refused_until().
JobItem restart_denied(JobItem item, std::string_view attempt, std::string_view error,
                       sys_seconds now);

// Whether a restart in the item is the one that is asked for.
bool is_same(const RestartRecord& begun, const RestartOrder& order);

}  // namespace trainwarden::rules
