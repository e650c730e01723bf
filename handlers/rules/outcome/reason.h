// Why something was not done, as data: which guard refused, which fact was missing, with the names
// and numbers that belong to it. Never a sentence: outcome_text.h writes those for people, and no
// code parses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

enum class Why : std::uint8_t {
  // The action does not apply to the job, or no longer does.
  kGone,
  kNamesake,  // the name belongs to a later job
  kHasEnded,
  kNoLongerMatches,
  kExempted,  // by the policy's own `unless`; name: by which facts
  kNoLongerAsked,
  kModeIsNotify,
  kBeatenByStop,        // name: the rule that stops the job
  kRestartedOtherwise,  // name: the rule whose restart is done
  kOlderThanPolicy,     // at: when the job was created, since: the policy's `since`
  kAlarmsOff,
  kNoAlarmTopic,
  kDoneEarlier,        // by an earlier delivery of the event
  kUnfinishedRestart,  // a restart that was begun comes first
  kError,              // error: the service's own words
  kUndecided,          // error: why the rule could not be decided on again

  // Why a warm pool is not released.
  kNoWarmPool,
  kPoolNotAvailable,  // name: its status
  kPoolIsReused,      // name: the job that took it over
  kPoolForCopy,       // the copy that a restart owes or has just made

  // Guards of every copy (A3).
  kCompleted,
  kBeingDeleted,
  kLaunchedByTuningJob,
  kLaunchedByAutoMlJob,
  kLaunchedByLabelingJob,
  kLaunchedByPipeline,
  kLaunchedByStateMachine,
  kLaunchedByBatch,
  kTrainingPlan,
  kRoleNotAllowed,  // name: the role
  kEndedLongAgo,    // number: hours
  kTooManyTags,     // number, limit
  kNoGeneration,
  kNameTaken,            // name: the copy's
  kCheckpointUsed,       // name: the job that uses it
  kCheckpointContinued,  // name: the job that has gone on with it

  // Changed settings that CreateTrainingJob would refuse (A3).
  kTooManyEntries,  // name: HyperParameters or Environment, number, limit
  kWaitTooShort,    // number: seconds, limit: those of the copy's runtime
  kGroupsHaveCounts,
  kPreferencesHaveCounts,
  kPreferencesExcludeSpot,
  kNoMachines,
  kUnknownMember,  // name: its path, inside a structure that CreateTrainingJob takes

  // What a copy is made without, or keeps (A3).
  kPreferencesKept,
  kMembersLeftOut,  // name: members of the description that are not known

  // Machines that a copy cannot have (A4).
  kTypeNotAllowed,  // name: the instance type; empty: the copy has none
  kQuotaTooSmall,   // name: the quota, number: machines, limit
  kOtherMachines,   // name: what the copy has instead, error: what AWS said of what was asked for

  // Guards of a restart (A2).
  kStoppedOnPurpose,
  kRuleStops,
  kRuleStopped,
  kCameToNothing,      // an earlier restart; the record of the job's end says why
  kUnknownGeneration,  // by its tags
  kLimit,              // number: generation, name: root, limit
  kParentGone,         // seconds: trained, name: the parent
  kSameFailure,        // seconds: trained, name: the parent, limit: what counts as progress
  kAnotherBegun,       // name: the rule of the restart that was begun
  kCopied,             // the copy is made or being made
  kClosed,             // the pending copy of this job was given up

  // Why the pending copy of a restart is not made (A2).
  kNotStoppedByRestart,  // at: when the restart was begun
  kCompletedAllTheSame,
  kStoppedAfterRestart,
  kOverdue,  // number: hours

  // The brakes (P7), and what restarts wait for (A4).
  kStopsPerHour,        // limit, number: jobs stopped
  kSilentPerHour,       // limit, number: jobs that fell silent
  kRestartsPerHour,     // limit, number: copies
  kSilentUntilRecheck,  // at: when it is looked at again
  kStopsPerSweep,       // limit; number: jobs, name: some of them
  kCopiesPerSweep,      // the same, of copies that were not decided on when the job ended
  kWaitsItsTurn,        // others waited longer, or events or the role have had their share
  kSameMachines,        // at: when they may be requested again
  kStopDeniedToday,     // name: the service's code, at: when it is tried again
  kStopsLater,          // at: from when on, if the rule still holds (A1)
  kModeHoldsBack,       // name: the mode of TRAINWARDEN_MODE, number: hours
  kRuleIsNewer,         // at: since when it is enforced

  // Why an alarm requests no action (W4).
  kAlarmState,   // name
  kNoWatch,      // name
  kNotTraining,  // name: "Stopping/Stopping"
  kNoTransitions,
  kTransitionWithoutStart,
  kTransitionsOutOfOrder,
  kLastIsNotTraining,
  kLastHasEnded,
  kWarmUp,           // number: seconds, at: since when the job trains
  kSegmentTooYoung,  // at: its begin, number: periods that are over, limit: of so many, seconds
                     // each
  kUnknownMachines,
  kDifferentMachines,
  kNoGpu,             // name: the metric
  kUnknownGpus,       // name: the type
  kUnknownCores,      // name: the type
  kMetricNotDefined,  // name
  kTooManyMachines,   // number, limit
  kNoMetricArrives,   // for this job at all; name: the metric
  kNothingWitnesses,  // name: the metric that is silent
  kPastNotOver,       // of a watch that compares with it (W6); name: the metric, at: until when
  kPastTooThin,       // name: the metric, number: datapoints, limit: as many are needed
  kPastIsNothing,     // name: the metric

  // Why no notice is sent.
  kNothingCameOfIt,
  kComesAgain,
  kOperatorsAreTold,  // once an hour, not job by job

  // The parent that launched the job, and is to be stopped instead (A1).
  kTunerStopping,    // name: "tuning job T"
  kTunerStopDenied,  // name: the service's code, at: when it is tried again
  kToldWithTuner,

  // Why an intent is still open.
  kStopUnanswered,
  kNotEnded,  // the job whose copy is pending
  kCopyUnanswered,
  kNotYetTold,
  kClaimedByAnother,  // delivery
};
inline constexpr Why kLastWhy = Why::kClaimedByAnother;

// What a record calls it, for programs: "stops-per-hour", "same-failure", … (policy.md R1).
std::string_view code(Why why);

struct Reason {
  Why why = Why::kGone;
  std::string name = {};
  std::int64_t number = 0;
  std::int64_t limit = 0;
  double seconds = 0;
  sys_seconds at = {};
  std::optional<Error> error = {};
  sys_seconds since = {};
};

inline Reason because_of(Error error) { return {.why = Why::kError, .error = std::move(error)}; }

// Whether the job belongs to a parent (such as a tuning job) that launches its own successors.
inline bool is_launched_by_parent(const Reason& reason) {
  return reason.why == Why::kLaunchedByTuningJob || reason.why == Why::kLaunchedByAutoMlJob ||
         reason.why == Why::kLaunchedByLabelingJob || reason.why == Why::kLaunchedByPipeline ||
         reason.why == Why::kLaunchedByStateMachine || reason.why == Why::kLaunchedByBatch;
}

}  // namespace trainwarden::rules
