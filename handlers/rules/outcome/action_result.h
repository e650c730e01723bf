// What came of one action, as data: what notices, metrics and commands decide by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/outcome/resume.h"

namespace trainwarden::rules {

// A tuning job or an AutoML job, with how many training jobs it ran, where that is known.
struct StoppedTuner {
  bool auto_ml = false;
  std::string name = {};
  std::optional<std::int64_t> running = {};
};

struct ActionResult {
  enum class Kind : std::uint8_t {
    kPending,  // not carried out yet
    kObserved,
    kLeft,           // to the state function
    kNotCarriedOut,  // nothing here can
    kFailed,         // an error stands beside it
    kNotDone,        // reason
    kHeldBack,       // reason (P7)
    kRefused,        // reason
    kWaits,          // reason (A4)
    // of stops and restarts
    kStopped,
    kStoppedByRule,  // name: another rule's stop, which is this one too
    kEndedBefore,    // name: its status, where it is known
    kStoppingToCopy,
    kCopied,         // name: the copy
    kCopiedBefore,   // name: the copy
    kRestartClosed,  // reason: what a restart owed is not done any more
    kRefusedAtEnd,   // reason: the copy of a job that was stopped for it
    // of warm pools
    kReleased,
    kReleasedByRule,  // name: another rule's release, which is this one too
    // of tags, notices and alarms
    kTagged,
    kTaggedBefore,
    kNotified,
    kNotifiedBefore,
    kLogged,       // there is no topic
    kNotNotified,  // reason, or what kept the action from being carried out
    kWatched,
    kWatchedBefore,
    kNothingToWatch,
    kEndedMeanwhile,  // and the alarms were deleted
    kLeftToSweep,     // since CloudWatch takes few such calls a second
    // of stops of what launched the job: tuner
    kTunerStopped,
    kTunerStoppedBefore,  // by another delivery, maybe for another of its jobs
  };

  Kind kind = Kind::kPending;
  std::optional<Reason> reason = {};  // of kCopied: why it has other machines than asked for
  std::string name = {};
  // Of kNotNotified: what came of the action that would be told of, where that was held.
  std::optional<Kind> held = {};
  // What launched the job, where that was to be stopped.
  std::optional<StoppedTuner> tuner = {};
  // Of kStoppingToCopy, kCopied and kCopiedBefore: what the copy goes on from.
  std::optional<Resume> resume = {};

  bool is(Kind other) const { return kind == other; }
  bool is_because(Why why) const { return reason && reason->why == why; }
  bool stopped_tuner() const {
    return kind == Kind::kTunerStopped || kind == Kind::kTunerStoppedBefore;
  }
  bool is_refusal() const { return kind == Kind::kRefused || kind == Kind::kRefusedAtEnd; }
  bool has_copy() const { return kind == Kind::kCopied || kind == Kind::kCopiedBefore; }
};

inline ActionResult not_done(Reason reason) {
  return {.kind = ActionResult::Kind::kNotDone, .reason = std::move(reason)};
}
inline ActionResult not_done(Why why) { return not_done(Reason{.why = why}); }
inline ActionResult refused(Reason reason) {
  return {.kind = ActionResult::Kind::kRefused, .reason = std::move(reason)};
}
inline ActionResult refused(Why why) { return refused(Reason{.why = why}); }

}  // namespace trainwarden::rules
