// The result of one action, as data. Notices, metrics and commands decide by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/outcome/resume.h"

namespace trainwarden::rules {

// A tuning job or an AutoML job, and the number of training jobs that it ran, if known.
struct StoppedTuner {
  bool auto_ml = false;
  std::string name = {};
  std::optional<std::int64_t> running = {};
};

struct ActionResult {
  enum class Kind : std::uint8_t {
    kPending,  // not carried out yet
    kObserved,
    kLeft,           // left to the state function
    kNotCarriedOut,  // nothing here can carry it out
    kFailed,         // the error is stored beside the result
    kNotDone,        // reason
    kHeldBack,       // reason (P7)
    kRefused,        // reason
    kWaits,          // reason (A4)
    // of stops and restarts
    kStopped,
    kStoppedByRule,  // name: another rule's stop, which is this one too
    kEndedBefore,    // name: its status, where it is known
    kWarned,         // reason: announced now (A1)
    kWarnedBefore,   // reason: announced, and not due yet
    kStoppingToCopy,
    kCopied,         // name: the copy
    kCopiedBefore,   // name: the copy
    kRestartClosed,  // reason: why the pending copy is no longer made
    kRefusedAtEnd,   // reason: the copy of a job that was stopped for it
    // of warm pools
    kReleased,
    kReleasedByRule,  // name: another rule's release, which is this one too
    // of tags, notices and alarms
    kTagged,
    kTaggedBefore,
    kNotified,
    kNotifiedBefore,
    kGathered,     // for the topic's next digest (A9)
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
  static constexpr Kind kLast = Kind::kTunerStoppedBefore;

  Kind kind = Kind::kPending;
  std::optional<Reason> reason = {};  // of kCopied: why it has other machines than asked for
  std::string name = {};
  // Of kNotNotified: the result of the action that the notice is about, if that was held back.
  std::optional<Kind> held = {};
  // The job that launched this one, if that was to be stopped.
  std::optional<StoppedTuner> tuner = {};
  // Of kStoppingToCopy, kCopied and kCopiedBefore: what the copy resumes from.
  std::optional<Resume> resume = {};

  bool is(Kind other) const { return kind == other; }
  bool is_because(Why why) const { return reason && reason->why == why; }
  bool stopped_tuner() const {
    return kind == Kind::kTunerStopped || kind == Kind::kTunerStoppedBefore;
  }
  bool is_refusal() const { return kind == Kind::kRefused || kind == Kind::kRefusedAtEnd; }
  bool has_copy() const { return kind == Kind::kCopied || kind == Kind::kCopiedBefore; }
};

// What a record calls it, for programs: "stopped", "held-back", … (policy.md R1).
std::string_view code(ActionResult::Kind kind);

inline ActionResult not_done(Reason reason) {
  return {.kind = ActionResult::Kind::kNotDone, .reason = std::move(reason)};
}
inline ActionResult not_done(Why why) { return not_done(Reason{.why = why}); }
inline ActionResult refused(Reason reason) {
  return {.kind = ActionResult::Kind::kRefused, .reason = std::move(reason)};
}
inline ActionResult refused(Why why) { return refused(Reason{.why = why}); }

}  // namespace trainwarden::rules
