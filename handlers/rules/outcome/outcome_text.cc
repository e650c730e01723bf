#include "handlers/rules/outcome/outcome_text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

using Kind = ActionResult::Kind;

std::string launched_by(std::string_view parent) {
  return fmt::format("it belongs to {}, which launches its own jobs", parent);
}

std::string unknown_segment(std::string_view why) {
  return fmt::format("when the current Training began is not known: {}", why);
}

// What stands before the reason, or is said where there is none.
std::string_view words(Kind kind) {
  switch (kind) {
    case Kind::kPending:
      return "";
    case Kind::kObserved:
      return "observed";
    case Kind::kLeft:
      return "left to the state function";
    case Kind::kNotCarriedOut:
      return "not carried out here";
    case Kind::kFailed:
      return "failed";
    case Kind::kNotDone:
      return "not done";
    case Kind::kHeldBack:
      return "held back";
    case Kind::kRefused:
      return "refused";
    case Kind::kWaits:
      return "waits";
    case Kind::kStopped:
      return "stopped";
    case Kind::kStoppedByRule:
      return "done by rule";
    case Kind::kEndedBefore:
      return "already";
    case Kind::kWarned:
      return "announced";
    case Kind::kWarnedBefore:
      return "announced before";
    case Kind::kStoppingToCopy:
      return "stopping, to be copied when it has ended";
    case Kind::kCopied:
      return "copied as";
    case Kind::kCopiedBefore:
      return "already copied as";
    case Kind::kRestartClosed:
      return "not run again";
    case Kind::kRefusedAtEnd:
      return "refused when it had ended";
    case Kind::kReleased:
      return "released";
    case Kind::kReleasedByRule:
      return "released by rule";
    case Kind::kTagged:
      return "tagged";
    case Kind::kTaggedBefore:
      return "already tagged";
    case Kind::kNotified:
      return "told";
    case Kind::kNotifiedBefore:
      return "told already";
    case Kind::kGathered:
      return "gathered for the next digest";
    case Kind::kLogged:
      return "logged";
    case Kind::kNotNotified:
      return "not told";
    case Kind::kWatched:
      return "watched";
    case Kind::kWatchedBefore:
      return "already watched";
    case Kind::kNothingToWatch:
      return "nothing to watch";
    case Kind::kEndedMeanwhile:
      return "the job has ended meanwhile: its alarms are deleted";
    case Kind::kLeftToSweep:
      return "left to the sweep";
    case Kind::kTunerStopped:
      return "stopped";
    case Kind::kTunerStoppedBefore:
      return "stopped before";
  }
  return "";
}

std::string text(const Resume& resume) {
  switch (resume.kind) {
    case Resume::Kind::kCheckpoint:
      if (!resume.newest) return "there are checkpoints to go on from";
      return fmt::format("its newest checkpoint is of {}", rfc3339(*resume.newest));
    case Resume::Kind::kNothing:
      return "it begins anew: nothing lies at its CheckpointConfig.S3Uri";
    case Resume::Kind::kNoConfig:
      return "it begins anew: it has no CheckpointConfig";
    case Resume::Kind::kUnknown:  // nothing is said of what nobody knows
      break;
  }
  return {};
}

std::string sentence(const Reason& reason) {
  const auto& [why, name, number, limit, seconds, at, error, since] = reason;
  switch (why) {
    case Why::kGone:
      return "the job is gone";
    case Why::kNamesake:
      return "the name belongs to a later job";
    case Why::kHasEnded:
      return "the job has ended";
    case Why::kNoLongerMatches:
      return "the rule no longer matches";
    case Why::kExempted:
      return fmt::format("the policy's own `unless` exempts the job{}",
                         name.empty() ? "" : fmt::format(", by {}", name));
    case Why::kNoLongerAsked:
      return "the rule no longer asks for it";
    case Why::kModeIsNotify:
      return "the mode is notify";
    case Why::kBeatenByStop:
      return fmt::format("rule {} stops the job", name);
    case Why::kRestartedOtherwise:
      return fmt::format("rule {} restarts it otherwise", name);
    case Why::kOlderThanPolicy:
      return fmt::format("the job was created {}, before the policy's `since` {}", rfc3339(at),
                         rfc3339(since));
    case Why::kAlarmsOff:
      return "TRAINWARDEN_ALARMS is off";
    case Why::kNoAlarmTopic:
      return "TRAINWARDEN_ALARM_TOPIC is not set, so that no alarm could call";
    case Why::kDoneEarlier:
      return "an earlier delivery did it";
    case Why::kUnfinishedRestart:
      return "a restart that was begun is finished first";
    case Why::kError:
      return error ? error->message : std::string();
    case Why::kUndecided:
      return fmt::format("the rule cannot be decided on again: {}",
                         error ? error->message : std::string("a source is unavailable"));

    case Why::kNoWarmPool:
      return "the job has no warm pool";
    case Why::kPoolNotAvailable:
      return fmt::format("its warm pool is {}", name);
    case Why::kPoolIsReused:
      return fmt::format("the job {} has taken its warm pool over", name);
    case Why::kPoolForCopy:
      return "its copy may take the warm pool over";

    case Why::kCompleted:
      return "it completed";
    case Why::kBeingDeleted:
      return "it is being deleted";
    case Why::kLaunchedByTuningJob:
      return launched_by("a tuning job");
    case Why::kLaunchedByAutoMlJob:
      return launched_by("an AutoML job");
    case Why::kLaunchedByLabelingJob:
      return launched_by("a labeling job");
    case Why::kLaunchedByPipeline:
      return launched_by("a pipeline");
    case Why::kLaunchedByStateMachine:
      return launched_by("a state machine of Step Functions");
    case Why::kLaunchedByBatch:
      return "its name says that AWS Batch runs it, which runs its own jobs again";
    case Why::kTrainingPlan:
      return "it runs in a training plan, whose capacity a copy would have to share";
    case Why::kRoleNotAllowed:
      return fmt::format("its role {} is not among those of TRAINWARDEN_PASS_ROLES", name);
    case Why::kEndedLongAgo:
      return fmt::format("it ended more than {} hours ago", number);
    case Why::kTooManyTags:
      return fmt::format("the copy would have {} tags, three of them ours, and a job takes {}",
                         number, limit);
    case Why::kNoGeneration:
      return "its tags do not tell its generation";
    case Why::kNameTaken:
      return fmt::format("the name {} is taken by a job that is no copy of it", name);
    case Why::kCheckpointUsed:
      return fmt::format("the job {} uses its checkpoint", name);
    case Why::kCheckpointContinued:
      return fmt::format("the job {} has gone on with its checkpoint since", name);

    case Why::kTooManyEntries:
      return fmt::format("the copy's {} would have {} keys, and a job takes {}", name, number,
                         limit);
    case Why::kWaitTooShort:
      return fmt::format(
          "the copy would have a MaxWaitTimeInSeconds of {}, which contains its "
          "MaxRuntimeInSeconds, {}: the restart needs max_wait_seconds too",
          number, limit);
    case Why::kGroupsHaveCounts:
      return "it has instance groups, each with a count of its own, and instance_count fits none";
    case Why::kPreferencesHaveCounts:
      return "each of its InstancePreferences has a count of its own, and instance_count fits none";
    case Why::kPreferencesExcludeSpot:
      return "it has InstancePreferences, beside which AWS takes no spot";
    case Why::kNoMachines:
      return "it has no machines of its own whose number instance_count could change";

    case Why::kTypeNotAllowed:
      return name.empty() ? "the copy would have no machines of its own, and "
                            "TRAINWARDEN_COPY_INSTANCE_TYPES asks for one of its types"
                          : fmt::format(
                                "the copy's instance type {} is not among those of "
                                "TRAINWARDEN_COPY_INSTANCE_TYPES",
                                name);
    case Why::kUnknownMember:
      return fmt::format(
          "`{}` of its description is not known to this version: a copy without it would be "
          "another "
          "job",
          name);
    case Why::kPreferencesKept:
      return "with the job's own InstancePreferences, which instance_types does not change";
    case Why::kMembersLeftOut:
      return fmt::format("without {} of its description, not known to this version", name);

    case Why::kQuotaTooSmall:
      return fmt::format(
          "the copy would need {} machines, and the account's quota \"{}\" is {}: ask Service "
          "Quotas for more, or the restart for others",
          number, name, limit);
    case Why::kOtherMachines:
      return fmt::format("on {}, since AWS refused what was asked for first: {}", name,
                         error ? error->message : std::string("no reason told"));

    case Why::kStoppedOnPurpose:
      return "it was stopped on purpose, and not to be run again";
    case Why::kRuleStops:
      return "a rule stops it, and a stop beats a restart";
    case Why::kRuleStopped:
      return "a rule stopped it, and a stop beats a restart";
    case Why::kCameToNothing:
      return "it was stopped, and its restart came to nothing";
    case Why::kUnknownGeneration:
      return "its tag trainwarden:generation is no number";
    case Why::kLimit:
      return fmt::format("it is generation {} of {}, and the limit is {}", number, name, limit);
    case Why::kParentGone:
      return fmt::format(
          "it failed after {:.0f} s of training, and its parent {} is gone, "
          "so that nobody knows whether it failed the same way",
          seconds, name);
    case Why::kSameFailure:
      return fmt::format(
          "it failed the same way as its parent {}, after {:.0f} s of training "
          "(progress is {} s or more)",
          name, seconds, limit);
    case Why::kAnotherBegun:
      return fmt::format("the rule {} has begun a restart of it just now", name);
    case Why::kCopied:
      return "its copy is made, or being made";
    case Why::kClosed:
      return "its restart has ended already";

    case Why::kNotStoppedByRestart:
      return fmt::format("it was not the restart begun at {} that stopped it", rfc3339(at));
    case Why::kCompletedAllTheSame:
      return "the job completed all the same";
    case Why::kStoppedAfterRestart:
      return "a rule stopped it for good meanwhile";
    case Why::kOverdue:
      return fmt::format("the copy could not be made within {} hours after its end", number);

    case Why::kStopsPerHour:
      return fmt::format(
          "limits.stops_per_hour is {}, and {} jobs were stopped within the last hour", limit,
          number);
    case Why::kSilentPerHour:
      return fmt::format(
          "{} jobs fell silent together, more than limits.silent_stops_per_hour ({}): an outage of "
          "metrics looks so",
          number, limit);
    case Why::kRestartsPerHour:
      return fmt::format(
          "limits.restarts_per_hour is {}, and {} jobs were run again within the last hour", limit,
          number);
    case Why::kSilentUntilRecheck:
      return fmt::format("it is silent, and is looked at again from {} on", rfc3339(at));
    case Why::kStopsPerSweep:
      return fmt::format("the sweep would stop more jobs than limits.stops_per_sweep, {}", limit);
    case Why::kCopiesPerSweep:
      return fmt::format(
          "the sweep would copy more jobs that were not decided on at their end than "
          "limits.stops_per_sweep, {}",
          limit);
    case Why::kWaitsItsTurn:
      return "others go first within this hour: a sweep does it in its turn";
    case Why::kSameMachines:
      return fmt::format("a sweep asks for the same machines again from {} on", rfc3339(at));
    case Why::kStopDeniedToday:
      return fmt::format("StopTrainingJob was denied ({}), and is not tried again before {}", name,
                         rfc3339(at));
    case Why::kStopsLater:
      return fmt::format("it is stopped from {} on, if the rule still holds then", rfc3339(at));
    case Why::kModeHoldsBack:
      return fmt::format("TRAINWARDEN_MODE is {}: the copy waits, until {} hours after the end",
                         name, number);
    case Why::kRuleIsNewer:
      return fmt::format("it failed before the rule was first enforced, at {}", rfc3339(at));

    case Why::kAlarmState:
      return fmt::format("the alarm's state is {}", name);
    case Why::kNoWatch:
      return fmt::format("the policy has no watch `{}`", name);
    case Why::kNotTraining:
      return fmt::format("the job is not training: it is {}", name);
    case Why::kNoTransitions:
      return unknown_segment("no SecondaryStatusTransitions");
    case Why::kTransitionWithoutStart:
      return unknown_segment("a transition without a StartTime");
    case Why::kTransitionsOutOfOrder:
      return unknown_segment("SecondaryStatusTransitions are out of order");
    case Why::kLastIsNotTraining:
      return unknown_segment("the last of SecondaryStatusTransitions is not Training");
    case Why::kLastHasEnded:
      return unknown_segment("the last of SecondaryStatusTransitions has ended");
    case Why::kWarmUp:
      return fmt::format("the warm-up of {} s is not over: training since {}", number, rfc3339(at));
    case Why::kSegmentTooYoung:
      return fmt::format(
          "the current Training segment is too young: since {} only {} of the {} periods "
          "of {:.0f} s that must breach are over",
          rfc3339(at), number, limit, seconds);
    case Why::kUnknownMachines:
      return "how many machines the job has is not known";
    case Why::kDifferentMachines:
      return "`first` cannot be watched: which of the different machines it is is not known";
    case Why::kNoGpu:
      return fmt::format("the job's machines have no GPU: no {} to watch", name);
    case Why::kUnknownGpus:
      return fmt::format("how many GPUs `{}` has is not known", name);
    case Why::kUnknownCores:
      return fmt::format("how many vCPUs `{}` has is not known", name);
    case Why::kMetricNotDefined:
      return fmt::format("the job's MetricDefinitions do not name the metric `{}`", name);
    case Why::kTooManyMachines:
      return fmt::format("the job has {} machines: at most {} can be watched", number, limit);
    case Why::kNoMetricArrives:
      return fmt::format(
          "no metric of this job arrives, {} among them: nobody can tell whether it trains on",
          name);
    case Why::kNothingWitnesses:
      return fmt::format(
          "nothing witnesses the silence of {}: what comes to CloudWatch the same way is not there "
          "either, or its log may well have held it",
          name);

    case Why::kPastNotOver:
      return fmt::format("what {} was in the job's first six hours is not known {}", name,
                         at == sys_seconds() ? "yet" : "before " + rfc3339(at));
    case Why::kPastTooThin:
      return fmt::format(
          "{} had {} datapoints in the job's first six hours, and a comparison needs {}", name,
          number, limit);
    case Why::kPastIsNothing:
      return fmt::format("the median of {} in the job's first six hours is not above 0", name);

    case Why::kNothingCameOfIt:
      return "nothing came of it";
    case Why::kComesAgain:
      return "it failed, and the event comes again";
    case Why::kTunerStopping:
      return fmt::format("the {}, which launched it, is stopping, and ends it", name);
    case Why::kTunerStopDenied:
      return fmt::format(
          "stopping what launched it was denied ({}), and is not tried again before {}", name,
          rfc3339(at));
    case Why::kToldWithTuner:
      return "what is told of it is told once, of what launched it";
    case Why::kOperatorsAreTold:
      return "its operators are told once an hour of all that is held back";

    case Why::kStopUnanswered:
      return "what StopTrainingJob answered is not known";
    case Why::kNotEnded:
      return "the job has not ended yet";
    case Why::kCopyUnanswered:
      return "the job has ended, and its copy is not known to be made";
    case Why::kNotYetTold:
      return "it is claimed, and not told yet";
    case Why::kClaimedByAnother:
      return "another delivery has claimed it";
  }
  return {};
}

}  // namespace

std::string text(const Reason& reason) { return json::one_line(sentence(reason)); }

std::string text(const StoppedTuner& tuner) {
  const std::string jobs = !tuner.running ? "every training job that it runs"
                           : *tuner.running == 1
                               ? "the one training job that it runs"
                               : fmt::format("the {} training jobs that it runs", *tuner.running);
  return json::one_line(fmt::format("the {} {} and {}", tuner.auto_ml ? "AutoML job" : "tuning job",
                                    tuner.name, jobs));
}

std::string text(const ActionResult& result) {
  std::string out(words(result.kind));
  if (result.held) out.append(": ").append(words(*result.held));
  if (result.reason && !result.has_copy()) out.append(": ").append(text(*result.reason));
  if (!result.name.empty()) out.append(" ").append(result.name);
  if (result.stopped_tuner() && result.tuner) out.append(": ").append(text(*result.tuner));
  if (result.kind == Kind::kEndedBefore && result.name.empty()) out += " stopping or ended";
  if (result.reason && result.has_copy()) out.append(", ").append(text(*result.reason));
  const std::string resume = result.resume ? text(*result.resume) : std::string();
  if (!resume.empty()) out.append("; ").append(resume);
  return json::one_line(std::move(out));
}

}  // namespace trainwarden::rules
